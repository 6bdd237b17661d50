import { MINUTE_MS, SECOND_MS } from '../../../../lib/clock'
import type { Deps } from '../../../../infra/ctx'
import type { Hub } from '../../../../infra/hub'
import { SERVER_WORK, type ServerAttention } from '../../../delivery/realtime/attention/model'
import { frameText } from '../../../delivery/realtime/frames/kind'
import { SERVER_TOPIC } from '../../../delivery/realtime/subscriptions'
import type { DoctorFinding } from '../finding'
import type { Lifecycle } from '../readiness'
import { countFailed } from './failed-jobs'
import { findNow, findSlowly } from './findings'
import { marksOf, type Marks } from './marks'

/** How long findings that change seldom are kept. */
const SLOW_MS = MINUTE_MS
/** Time between two looks while somebody watches. */
const PAUSE_MS = 2 * SECOND_MS

/**
 * Knows what needs an operator. While a super admin watches, looks every two seconds and tells when
 * it has changed; the changes come from anywhere, also from commands beside the server.
 */
export class HealthWatch {
  private slow: { found: DoctorFinding[]; atMs: number } | null = null
  private lookedMs = -Infinity
  private told = ''
  private marks: Marks | null = null

  constructor(
    private readonly deps: Deps,
    private readonly lifecycle: Pick<Lifecycle, 'dataDir'>,
    private readonly hub: Hub,
  ) {}

  /** Returns all findings that cost little. `isFresh` also looks at what changes seldom. */
  find(isFresh: boolean): DoctorFinding[] {
    const { dataDir } = this.lifecycle
    const nowMs = this.deps.clock.nowMs()
    if (isFresh || this.slow === null || Math.abs(nowMs - this.slow.atMs) > SLOW_MS)
      this.slow = { found: findSlowly(this.deps, dataDir), atMs: nowMs }
    return [...findNow(this.deps, dataDir), ...this.slow.found]
  }

  /** Returns how much needs an operator. */
  attention(): ServerAttention {
    const problems = this.find(false).filter(({ state }) => state === 'problem').length
    const failed = countFailed(this.deps)
    return { count: problems + failed, problems, failed_jobs: failed }
  }

  private tell(type: string, payload: Record<string, unknown>): void {
    const atMs = this.deps.clock.nowMs()
    this.hub.publish(SERVER_TOPIC, frameText({ type, payload }, { seq: null, atMs }), type)
  }

  /** Tells those who watch what has changed. */
  look(): void {
    if (!this.hub.hasListeners(SERVER_TOPIC)) {
      this.told = '' // who watches next hears how it is
      this.marks = null
      return
    }
    const nowMs = this.deps.clock.nowMs()
    if (Math.abs(nowMs - this.lookedMs) < PAUSE_MS) return
    this.lookedMs = nowMs
    try {
      const payload = this.attention()
      const now = JSON.stringify(payload)
      if (now !== this.told) this.tell('server:attention', payload)
      this.told = now
      const marks = marksOf(this.deps)
      const { marks: before } = this
      // who has just begun to watch may have loaded before something changed
      const changed = SERVER_WORK.filter((kind) => before?.[kind] !== marks[kind])
      if (changed.length > 0) this.tell('server:work', { changed })
      this.marks = marks
    } catch (error) {
      this.deps.log.error({ error }, 'the state of the server could not be read')
    }
  }
}
