import { SECOND_MS } from '../../../lib/clock'
import { systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import type { Hub } from '../../../infra/hub'
import type { LoggedEvent } from '../../../infra/outbox/events'
import { ReadDashboard } from '../../insight/analytics/readers'
import { changesOf } from '../../insight/team-board/changes'
import { ReadWholeBoard } from '../../insight/team-board/readers'
import { frameText } from './frames/kind'
import { BOARD_TOPIC, DASHBOARD_TOPIC } from './subscriptions'
import { watchTopic } from './topics'

/** Figures that sockets may watch. They show no phone numbers, so there is one topic for all. */
interface Figures<F> {
  topic: string
  type: string
  /** The shortest time between two frames of an organization, milliseconds. */
  pauseMs: number
  read: (ctx: Ctx) => Promise<F>
  /** The frame that tells of new figures; `null` if they are as they were last sent. */
  payloadOf: (now: F, before: F | null) => object | null
}

const figures = <F>(of: Figures<F>): Figures<unknown> => of as Figures<unknown> // both take what `read` gave

const ALL = [
  figures({
    topic: DASHBOARD_TOPIC,
    type: 'analytics:dashboard',
    pauseMs: 5 * SECOND_MS,
    read: (ctx) => ctx.reads.value(ReadDashboard, ctx, { period: 'month' }),
    payloadOf: (now, before) =>
      JSON.stringify({ ...now, as_of: null }) ===
      JSON.stringify(before && { ...before, as_of: null })
        ? null
        : now,
  }),
  figures({
    topic: BOARD_TOPIC,
    type: 'team:board',
    pauseMs: SECOND_MS,
    read: (ctx) => ctx.reads.value(ReadWholeBoard, ctx, null),
    payloadOf: changesOf,
  }),
]

/** What was last sent to the watchers of an organization. */
interface Watched {
  sent: unknown
  sentMs: number
  isWaiting: boolean
}

/**
 * Sends figures to sockets that watch them: after something happened in the organization, if one has
 * changed, and not more often than its pause allows. Nothing is read while nobody watches.
 */
export class LiveFigures {
  private readonly watched = new Map<string, Watched>()

  constructor(
    private readonly deps: Deps,
    private readonly hub: Hub,
  ) {}

  /** Notes that something happened in the organizations of these events. */
  note(batch: readonly LoggedEvent[]): void {
    for (const organizationId of new Set(batch.map((event) => event.organizationId)))
      for (const one of ALL) this.noteOne(organizationId, one)
  }

  private noteOne(organizationId: string, one: Figures<unknown>): void {
    const topic = watchTopic(organizationId, one.topic, 'clear')
    if (!this.hub.hasListeners(topic)) {
      this.watched.delete(topic)
      return
    }
    const known = this.watched.get(topic)
    const watched = known ?? { sent: null, sentMs: -Infinity, isWaiting: false }
    if (!known) this.watched.set(topic, watched)
    if (watched.isWaiting) return
    watched.isWaiting = true
    const waitMs = Math.max(0, watched.sentMs + one.pauseMs - this.deps.clock.nowMs())
    this.deps.clock.after(waitMs, () => void this.send(organizationId, one, watched))
  }

  private async send(
    organizationId: string,
    { topic, type, read, payloadOf }: Figures<unknown>,
    watched: Watched,
  ): Promise<void> {
    watched.isWaiting = false
    watched.sentMs = this.deps.clock.nowMs()
    try {
      const now = await read(systemCtx(this.deps, organizationId))
      const payload = payloadOf(now, watched.sent)
      watched.sent = now
      if (payload === null) return
      this.hub.publish(
        watchTopic(organizationId, topic, 'clear'),
        frameText({ type, payload: { ...payload } }, { seq: null, atMs: watched.sentMs }),
        type,
      )
    } catch (error) {
      this.deps.log.error(
        { error, organization_id: organizationId, figures: type },
        'figures not sent to WebSocket clients',
      )
    }
  }
}
