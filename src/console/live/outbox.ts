import type { QueryClient } from '@tanstack/react-query'

import { call, type Body } from '../api/client'
import { ApiError, isTemporary } from '../api/error'
import { onSignOut } from '../api/session'
import type { Item } from '../api/shapes'
import { forget, keep, kept } from './outbox-store'
import { addItem, hasReference } from './thread'

/** A message that the server has not accepted yet. */
export interface Outgoing {
  /** The message's reference, and the key that makes repetitions take effect once. */
  ref: string
  owner: string
  conversationId: string
  body: Body<'POST /api/conversations/{id}/messages'>
  /** A file that is uploaded first. */
  file?: File
  preview: string
  createdMs: number
  state: 'waiting' | 'failed' | 'expired'
  /** Why the server refused it. */
  trouble?: string
  code?: string
}

/** Lifetime of an idempotency key, milliseconds. Later a repetition could send twice. */
const KEY_LIFE_MS = 24 * 3_600_000
const MAX_WAIT_MS = 30_000

/** Returns a new reference for a message. */
export const newRef = (): string => `console-${crypto.randomUUID()}`

/**
 * Sends messages in their order, one conversation at a time, until the server has accepted or
 * refused each. Messages survive a reload.
 */
export class Outbox {
  private entries: readonly Outgoing[] = []
  private readonly listeners = new Set<() => void>()
  private readonly busy = new Set<string>()
  private wake: (() => void) | null = null
  private isStopped = false

  constructor(
    private readonly client: QueryClient,
    private readonly owner: string,
  ) {
    globalThis.addEventListener('online', this.hurry)
  }

  /** Continues with what an earlier page left. Drops what other users of this browser left. */
  async resume(): Promise<void> {
    const all = await kept().catch(() => [])
    const [, userId = ''] = this.owner.split('/')
    for (const { ref, owner } of all)
      if (!owner.endsWith(`/${userId}`)) forget(ref).catch(() => undefined)
    const left = all.filter(({ owner }) => owner === this.owner)
    const known = new Set(this.entries.map(({ ref }) => ref))
    this.change([...left.filter(({ ref }) => !known.has(ref)).map(aged), ...this.entries])
    for (const { conversationId } of left) this.start(conversationId)
  }

  /** Returns all messages that wait or failed. */
  readonly all = (): readonly Outgoing[] => this.entries

  /** Calls `listener` after every change. Returns a function that stops it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Sends a message as soon as possible. */
  send(message: Omit<Outgoing, 'owner' | 'createdMs' | 'state'>): void {
    const entry: Outgoing = {
      ...message,
      owner: this.owner,
      createdMs: Date.now(),
      state: 'waiting',
    }
    this.change([...this.entries, entry])
    keep(entry).catch(() => undefined) // without storage it still is sent while the page lives
    this.start(entry.conversationId)
  }

  /** Waits for the server's word on all messages of a conversation. Returns whether it took them. */
  settled(conversationId: string): Promise<boolean> {
    return new Promise((resolve) => {
      const look = (): void => {
        const own = this.entries.filter((one) => one.conversationId === conversationId)
        if (own.some(({ state }) => state === 'waiting')) return
        unsubscribe()
        resolve(own.length === 0)
      }
      const unsubscribe = this.subscribe(look)
      look()
    })
  }

  /** Tries a refused message again, as a new message. */
  retry(ref: string): void {
    const entry = this.entries.find((one) => one.ref === ref)
    if (!entry) return
    this.discard(ref)
    const { trouble: _, code: __, state: ___, createdMs: ____, owner: _____, ...message } = entry
    const next = newRef()
    this.send({ ...message, ref: next, body: { ...message.body, client_ref: next } })
  }

  /** Drops a message. */
  discard(ref: string): void {
    this.change(this.entries.filter((one) => one.ref !== ref))
    forget(ref).catch(() => undefined)
  }

  /** Stops sending. What waits is sent by the next page. */
  stop(): void {
    this.isStopped = true
    globalThis.removeEventListener('online', this.hurry)
    this.wake?.()
  }

  private change(entries: readonly Outgoing[]): void {
    this.entries = entries
    for (const listener of this.listeners) listener()
  }

  private start(conversationId: string): void {
    if (this.busy.has(conversationId)) return
    this.busy.add(conversationId)
    // The lock keeps the order of messages from several tabs.
    navigator.locks
      .request(`switchboard-outbox-${conversationId}`, () => this.drain(conversationId))
      .catch(() => undefined)
      .finally(() => this.busy.delete(conversationId))
  }

  private async drain(conversationId: string): Promise<void> {
    while (!this.isStopped) {
      const entry = this.entries.find(
        (one) => one.conversationId === conversationId && one.state === 'waiting',
      )
      if (!entry) return
      await this.deliver(entry)
    }
  }

  /** Sends one message. Returns when it was accepted, refused or dropped. */
  private async deliver(entry: Outgoing): Promise<void> {
    for (let failures = 0; !this.isStopped; failures += 1) {
      if (!this.entries.includes(entry)) return
      if (Date.now() - entry.createdMs > KEY_LIFE_MS) {
        this.replace(aged(entry), entry)
        return
      }
      try {
        addItem(this.client, (await submit(entry)) as Item)
        this.discard(entry.ref)
        return
      } catch (error) {
        if (!isTemporary(error)) {
          this.refuse(entry, error)
          return
        }
        await this.pause(waitMs(error, failures))
      }
    }
  }

  private refuse(entry: Outgoing, error: unknown): void {
    const trouble = error instanceof Error ? error.message : String(error)
    const code = error instanceof ApiError ? error.code : 'unknown'
    this.replace({ ...entry, state: 'failed', trouble, code }, entry)
  }

  private replace(next: Outgoing, entry: Outgoing): void {
    this.change(this.entries.map((one) => (one === entry ? next : one)))
    keep(next).catch(() => undefined)
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Tries again now, because the server can be reached. */
  readonly hurry = (): void => {
    this.wake?.()
  }
}

/** Returns the message, marked if it is too old to be sent without a question. */
const aged = (entry: Outgoing): Outgoing =>
  entry.state === 'waiting' && Date.now() - entry.createdMs > KEY_LIFE_MS
    ? { ...entry, state: 'expired' }
    : entry

function waitMs(error: unknown, failures: number): number {
  const after = error instanceof ApiError ? error.more.retryAfterS : null
  return after === null ? Math.min(MAX_WAIT_MS, 500 * 2 ** failures) : after * 1_000
}

async function submit({ ref, conversationId, body, file }: Outgoing): Promise<unknown> {
  const media = file === undefined ? {} : { media_id: await upload(ref, file) }
  return await call('POST /api/conversations/{id}/messages', {
    params: { id: conversationId },
    body: { ...body, ...media },
    idempotencyKey: ref,
  })
}

async function upload(ref: string, file: File): Promise<string> {
  const form = new FormData()
  form.append('file', file, file.name)
  const { id } = await call('POST /api/media', { body: form, idempotencyKey: `${ref}-file` })
  return id
}

/** Whether a message of the outbox is still to be shown: its thread does not have it yet. */
export const isUnseen = (client: QueryClient, { conversationId, ref }: Outgoing): boolean =>
  !hasReference(client, conversationId, ref)

onSignOut(() => {
  indexedDB.deleteDatabase('switchboard-outbox')
})
