import { SECOND_MS } from '../../../lib/clock'
import { systemCtx, type Deps } from '../../../infra/ctx'
import type { Hub } from '../../../infra/hub'
import type { LoggedEvent } from '../../../infra/outbox/events'
import { ReadDashboard } from '../../insight/analytics/readers'
import { frameText } from './frames/kind'
import { DASHBOARD_TOPIC } from './subscriptions'
import { watchTopic } from './topics'

/** The shortest time between two frames of an organization, milliseconds. */
const PAUSE_MS = 5 * SECOND_MS

const FRAME_TYPE = 'analytics:dashboard'

/** What was last sent to the watchers of an organization. */
interface Watched {
  /** The figures without the time they were read, JSON. */
  sent: string | null
  sentMs: number
  isWaiting: boolean
}

/**
 * Sends the dashboard to sockets that watch it: after something happened in the organization, if a
 * figure has changed, and at most every five seconds. Nothing is read while nobody watches.
 */
export class LiveDashboards {
  private readonly watched = new Map<string, Watched>()

  constructor(
    private readonly deps: Deps,
    private readonly hub: Hub,
  ) {}

  /** Notes that something happened in the organizations of these events. */
  note(batch: readonly LoggedEvent[]): void {
    for (const organizationId of new Set(batch.map((event) => event.organizationId)))
      this.noteOne(organizationId)
  }

  private noteOne(organizationId: string): void {
    if (!this.hub.hasListeners(topicOf(organizationId))) {
      this.watched.delete(organizationId)
      return
    }
    const known = this.watched.get(organizationId)
    const watched = known ?? { sent: null, sentMs: -Infinity, isWaiting: false }
    if (!known) this.watched.set(organizationId, watched)
    if (watched.isWaiting) return
    watched.isWaiting = true
    const waitMs = Math.max(0, watched.sentMs + PAUSE_MS - this.deps.clock.nowMs())
    this.deps.clock.after(waitMs, () => void this.send(organizationId, watched))
  }

  private async send(organizationId: string, watched: Watched): Promise<void> {
    watched.isWaiting = false
    watched.sentMs = this.deps.clock.nowMs()
    try {
      const ctx = systemCtx(this.deps, organizationId)
      const payload = await ctx.reads.value(ReadDashboard, ctx, { period: 'month' })
      const { as_of: _, ...figures } = payload
      const text = JSON.stringify(figures)
      if (text === watched.sent) return
      watched.sent = text
      this.hub.publish(
        topicOf(organizationId),
        frameText({ type: FRAME_TYPE, payload }, { seq: null, atMs: watched.sentMs }),
        FRAME_TYPE,
      )
    } catch (error) {
      this.deps.log.error(
        { error, organization_id: organizationId },
        'dashboard not sent to WebSocket clients',
      )
    }
  }
}

/** Figures show no phone numbers, so there is one topic for all. */
const topicOf = (organizationId: string): string =>
  watchTopic(organizationId, DASHBOARD_TOPIC, 'clear')
