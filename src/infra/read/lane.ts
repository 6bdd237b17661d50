import { UnavailableError } from '../../lib/errors'
import { errorOf, type ErrorData } from './read-error'
import type { ReadOrder } from './reader'

/** Orders to a thread: open a database, read, or close the database and end. */
export type ThreadOrder = { open: string } | { id: number; order: ReadOrder } | 'end'

/** An error that is our own fault. */
interface Fault {
  message: string
  stack: string | undefined
}

/** Answers of a thread, the first of them that its database is open. */
export type ThreadAnswer =
  | 'open'
  | { id: number; text: string }
  | { id: number; error: ErrorData | Fault }
  | 'ended'

/** The part of a thread that is used here. */
export interface ReadThread {
  onmessage: ((event: MessageEvent<ThreadAnswer>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  postMessage(order: ThreadOrder): void
  terminate(): void
}

/** Threads of a lane, and how long a read may run once it has one, and wait for one. */
export interface ThreadLimits {
  threads: number
  maxRunMs: number
  maxWaitMs: number
}

const MAX_WAITING = 200

/** Seconds after which a client should try again. */
const RETRY_AFTER_S = 5

const tooLate = (): UnavailableError =>
  new UnavailableError(
    'This takes the server too long. Ask for less, or try again later.',
    RETRY_AFTER_S,
    { code: 'took_too_long' },
  )
const tooMany = (): UnavailableError =>
  new UnavailableError(
    'The server is busy with other lists and reports. Try again in a few seconds.',
    RETRY_AFTER_S,
  )

interface Read {
  order: ReadOrder
  resolve: (text: string) => void
  reject: (error: unknown) => void
  timer: Timer
}

/** A thread, what it reads, and whether that takes longer than it may. */
interface Slot {
  thread: ReadThread
  isOpen: boolean
  read: Read | null
  isLate: boolean
  ended: PromiseWithResolvers<void>
}

/**
 * The threads of one lane. Organizations take turns, and while others wait, one of them has at most
 * one thread. A statement cannot be interrupted, and a thread with an open database must not be
 * terminated: a thread that is late ends when it comes back, and another one takes its place.
 */
export class LaneThreads {
  private readonly waiting = new Map<string, Read[]>()
  private readonly slots = new Set<Slot>()
  private count = 0
  private lastId = 0
  private pauses = 0
  private readonly whenIdle: (() => void)[] = []

  constructor(
    private readonly limits: ThreadLimits,
    private readonly open: () => ReadThread,
  ) {}

  /** Returns the answer of a read. Throws its error, and UnavailableError. */
  read(order: ReadOrder): Promise<string> {
    if (this.count >= MAX_WAITING) throw tooMany()
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const timer = setTimeout(() => this.refuse(read), this.limits.maxWaitMs)
    const read: Read = { order, resolve, reject, timer }
    const queue = this.waiting.get(order.organizationId)
    if (queue) queue.push(read)
    else this.waiting.set(order.organizationId, [read])
    this.count += 1
    this.startReads()
    return promise
  }

  /**
   * Resolves when no thread reads, or after the time that a read may take: what is late then may take
   * for ever. No read begins until `resume` is called as often.
   */
  async pause(): Promise<void> {
    this.pauses += 1
    if (!this.isReading) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.whenIdle.push(resolve)
    await within(this.limits.maxRunMs, promise)
  }

  resume(): void {
    this.pauses -= 1
    this.startReads()
  }

  /**
   * Ends the threads and refuses what waits. Resolves when the databases of the threads are closed, or
   * after the time that a read may take.
   */
  async end(): Promise<void> {
    for (const read of [...this.waiting.values()].flat()) this.refuse(read)
    const slots = [...this.slots]
    for (const slot of slots) this.retire(slot)
    await within(this.limits.maxRunMs, Promise.all(slots.map(({ ended }) => ended.promise)))
  }

  private get isReading(): boolean {
    return [...this.slots].some(({ read }) => read !== null)
  }

  private startReads(): void {
    while (this.pauses === 0 && this.count > 0) {
      const slot = this.idleSlot()
      const read = slot && this.nextRead()
      if (!slot || !read) return
      clearTimeout(read.timer)
      slot.read = read
      if (slot.isOpen) this.limit(slot, read)
      this.lastId += 1
      slot.thread.postMessage({ id: this.lastId, order: read.order })
    }
  }

  /** Limits how long a read may run. The start of a thread, which loads the program, is not counted. */
  private limit(slot: Slot, read: Read): void {
    read.timer = setTimeout(() => this.giveUp(slot, read), this.limits.maxRunMs)
  }

  /** Returns a thread that may read; `null` if as many read as may. Late ones count, but for one. */
  private idleSlot(): Slot | null {
    const slots = [...this.slots]
    const late = slots.filter(({ isLate }) => isLate).length
    const idle = slots.find(({ read }) => read === null)
    if (idle) return idle
    const isFull = slots.length - late >= this.limits.threads
    return isFull || slots.length > this.limits.threads ? null : this.started()
  }

  /** Takes the next read of the organization whose turn it is. */
  private nextRead(): Read | null {
    const reading = new Set([...this.slots].map(({ read }) => read?.order.organizationId))
    const turns = [...this.waiting]
    const turn = turns.find(([id]) => !reading.has(id)) ?? turns[0]
    const read = turn?.[1].shift()
    if (!turn || !read) return null
    const [organizationId, queue] = turn
    this.waiting.delete(organizationId)
    if (queue.length > 0) this.waiting.set(organizationId, queue) // behind the others
    this.count -= 1
    return read
  }

  private started(): Slot {
    const thread = this.open()
    const slot: Slot = {
      ...{ thread, isOpen: false, read: null, isLate: false },
      ended: Promise.withResolvers(),
    }
    thread.onmessage = ({ data }) => this.answered(slot, data)
    thread.onerror = ({ message }) => {
      const { read } = slot
      this.leave(slot)
      thread.terminate()
      read?.reject(new Error(message))
      this.startReads()
    }
    this.slots.add(slot)
    return slot
  }

  private answered(slot: Slot, answer: ThreadAnswer): void {
    if (answer === 'open') {
      slot.isOpen = true
      if (slot.read) this.limit(slot, slot.read)
      return
    }
    if (answer === 'ended') {
      slot.thread.terminate() // its database is closed
      slot.ended.resolve()
      return
    }
    const { read } = slot
    slot.read = null
    if (slot.isLate) this.retire(slot)
    if (read) {
      clearTimeout(read.timer)
      if ('text' in answer) read.resolve(answer.text)
      else if ('className' in answer.error) read.reject(errorOf(answer.error))
      else read.reject(Object.assign(new Error(answer.error.message), answer.error))
    }
    this.tellIdle()
    this.startReads()
  }

  private tellIdle(): void {
    if (!this.isReading) for (const tell of this.whenIdle.splice(0)) tell()
  }

  /** Lets a thread close its database and end. */
  private retire(slot: Slot): void {
    this.slots.delete(slot)
    slot.thread.postMessage('end')
  }

  /** Forgets a thread that has failed. */
  private leave(slot: Slot): void {
    if (slot.read) clearTimeout(slot.read.timer)
    slot.read = null
    this.slots.delete(slot)
    slot.ended.resolve()
    this.tellIdle()
  }

  private giveUp(slot: Slot, read: Read): void {
    slot.isLate = true
    read.reject(tooLate())
    this.startReads()
  }

  private refuse(read: Read): void {
    const { organizationId } = read.order
    const queue = this.waiting.get(organizationId)?.filter((other) => other !== read) ?? []
    if (queue.length === 0) this.waiting.delete(organizationId)
    else this.waiting.set(organizationId, queue)
    this.count -= 1
    clearTimeout(read.timer)
    read.reject(tooMany())
  }
}

/** Waits for a promise, but no longer than this. */
async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([promise, tooLong])
  clearTimeout(timer)
}
