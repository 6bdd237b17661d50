import { ApiError } from '../../api/error'
import type { BotFlow } from '../../api/shapes'
import { isSame, readGraph, sharing, writeGraph, type Graph } from './model/graph'
import { begin, rebase, redo, settle, step, undo, type History } from './model/history'
import { merge } from './model/merge'
import { readProblem } from './model/problems'
import type { Found, Server, State } from './store-state'

export type { State }

/** Pauses in changing after which the draft is stored and checked, milliseconds. */
const SAVE_MS = 800
const CHECK_MS = 400
/** How often a draft is stored at once while it is changed by somebody. */
const MOST_TRIES = 10

type Choices = Readonly<Record<string, 'mine' | 'theirs'>>

/** Header values are known to the server only, which keeps them; a check by itself does not know that. */
const isKept = ({ message }: Found): boolean => message.includes('`***` could keep')

/**
 * A flow while it is edited. Its draft saves itself. What somebody else saved meanwhile is joined with
 * the own changes, also with those that are taken back later.
 */
export class FlowStore {
  private state: State
  /** What the own changes began with: what the server had last. */
  private base: Graph
  private theirs: BotFlow | null = null
  private running: Promise<void> | null = null
  private saveTimer: ReturnType<typeof setTimeout> | undefined
  private checkTimer: ReturnType<typeof setTimeout> | undefined
  private checks = 0
  private readonly listeners = new Set<() => void>()

  constructor(
    flow: BotFlow,
    private readonly server: Server,
  ) {
    this.base = readGraph(flow.graph)
    this.state = {
      ...{ flow, history: begin(this.base), saving: 'saved', error: null },
      ...{ clashes: [], problems: [], replaced: 0 },
    }
    this.check()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly snapshot = (): State => this.state

  get graph(): Graph {
    return this.state.history.present
  }

  private set(changes: Partial<State>): void {
    this.state = { ...this.state, ...changes }
    for (const listener of this.listeners) listener()
  }

  /** Replaces the flow. Changes with the same key are one step. */
  readonly change = (next: Graph, key: string | null = null): void => {
    this.move(step(this.state.history, next, key))
  }

  readonly undo = (): void => {
    this.move(undo(this.state.history))
  }

  readonly redo = (): void => {
    this.move(redo(this.state.history))
  }

  /** Ends a step, so that the next change is one of its own. */
  readonly settle = (): void => {
    const history = settle(this.state.history)
    if (history !== this.state.history) this.set({ history })
  }

  private move(history: History): void {
    if (history.present === this.graph) return
    this.set({ history, saving: this.running ? 'saving' : 'changed' })
    this.saveSoon()
    clearTimeout(this.checkTimer)
    this.checkTimer = setTimeout(this.check, CHECK_MS)
  }

  private saveSoon(): void {
    clearTimeout(this.saveTimer)
    this.saveTimer = setTimeout(() => {
      this.flush().catch(() => undefined)
    }, SAVE_MS)
  }

  /** Asks the server what is wrong with the flow as it is now. */
  private readonly check = (): void => {
    const { graph } = this
    this.checks += 1
    const number = this.checks
    this.server
      .check(writeGraph(graph))
      .then(({ errors, warnings }) => {
        if (number !== this.checks) return
        const read = (isError: boolean) => (found: Found) => readProblem(graph, found, isError)
        this.set({
          problems: [
            ...errors.filter((one) => !isKept(one)).map(read(true)),
            ...warnings.map(read(false)),
          ],
        })
      })
      .catch(() => undefined) // saving says what is wrong with the line
  }

  /** Stores what was changed. Rejects if it could not be stored. */
  readonly flush = async (): Promise<void> => {
    clearTimeout(this.saveTimer)
    this.running ??= this.store().finally(() => {
      this.running = null
    })
    await this.running
    if (this.state.error !== null) throw this.state.error
    if (this.state.clashes.length > 0) throw new DOMException('not saved', 'AbortError')
  }

  private async store(): Promise<void> {
    if (this.state.clashes.length > 0) return
    for (let tries = 0; tries < MOST_TRIES && !isSame(this.graph, this.base); tries += 1) {
      const sent = this.graph
      this.set({ saving: 'saving', error: null })
      try {
        this.took(await this.server.save(writeGraph(sent), this.state.flow.updated_at), sent)
      } catch (error) {
        const isJoined = this.join(error)
        if (this.state.clashes.length > 0) return
        if (!isJoined) {
          this.set({
            saving: 'failed',
            error: error instanceof Error ? error : new Error('unknown'),
          })
          return
        }
      }
    }
    if (isSame(this.graph, this.base)) this.set({ saving: 'saved', error: null })
    else this.saveSoon()
  }

  /** Goes on with what the server stored. `sent` is what was sent to it. */
  took(flow: BotFlow, sent: Graph = this.base): void {
    const stored = sharing(readGraph(flow.graph), sent)
    this.base = stored
    if (stored === sent) return this.set({ flow })
    // the server filled in what was left out
    const history = rebase(
      this.state.history,
      (mine) => merge(sent, { mine, theirs: stored }).graph,
    )
    this.set({ flow, history })
  }

  /** Goes on with another draft that the server stored, as a step that can be taken back. */
  restored(flow: BotFlow): void {
    this.base = readGraph(flow.graph)
    this.set({ flow, history: step(this.state.history, this.base), saving: 'saved' })
    this.check()
    this.showAll()
  }

  /** Takes back that another draft took the place of the flow. */
  readonly unrestore = (): void => {
    this.undo()
    this.showAll()
  }

  private showAll(): void {
    this.set({ replaced: this.state.replaced + 1 })
  }

  /** Joins what somebody else stored with the own changes, unless they contradict each other. */
  private join(error: unknown): boolean {
    if (!(error instanceof ApiError) || error.code !== 'changed_meanwhile') return false
    return this.joinWith((error.more.details as { present: BotFlow }).present)
  }

  /** Joins what is stored now with the own changes. Returns whether they do not contradict it. */
  private joinWith(stored: BotFlow): boolean {
    this.theirs = stored
    const theirs = sharing(readGraph(this.theirs.graph), this.base)
    const { clashes } = merge(this.base, { mine: this.graph, theirs })
    if (clashes.length > 0) {
      this.set({ clashes, saving: 'changed' })
      return false
    }
    if (!isSame(theirs, this.base)) this.server.onJoined()
    this.choose({})
    return true
  }

  /** Goes on with a newer version of the flow than the one that is known. */
  readonly meet = (stored: BotFlow): void => {
    const isNewer = stored.updated_at > this.state.flow.updated_at
    // a draft that is being stored meets it by itself
    if (!isNewer || this.running || this.state.clashes.length > 0) return
    if (this.joinWith(stored)) this.check()
  }

  /**
   * Stores what was changed, and goes on with what the server has then. Rejects if it cannot be
   * stored.
   */
  readonly refresh = async (): Promise<void> => {
    await this.flush()
    this.meet(await this.server.load())
    if (this.state.clashes.length > 0) throw new DOMException('not joined', 'AbortError')
  }

  /** Goes on with what the person chose where both changed the same. */
  private choose(choices: Choices): void {
    if (this.theirs === null) return
    const theirs = sharing(readGraph(this.theirs.graph), this.base)
    const history = rebase(
      this.state.history,
      (mine) => merge(this.base, { mine, theirs }, choices).graph,
    )
    this.base = theirs
    this.set({ flow: this.theirs, history, clashes: [] })
    this.theirs = null
  }

  /** Keeps what the person chose, and stores it. */
  readonly resolve = (choices: Choices): void => {
    this.choose(choices)
    this.check()
    this.flush().catch(() => undefined)
  }

  /** Stores what is left, and forgets the timers. */
  readonly close = (): void => {
    clearTimeout(this.checkTimer)
    this.flush().catch(() => undefined)
  }
}
