import { hasPermission, type Ctx } from '../../../infra/ctx'
import type { LoggedEvent } from '../../../infra/outbox/events'
import { isAmong, masksNumbers, seesAll } from '../../inbox/contacts/sight/visibility'
import { historyFromMs } from '../../inbox/contacts/sight/visible-history'
import { visibilityLossOf } from './frames/contact'
import { frameText, type FrameKind, type FrameScope } from './frames/kind'
import { frameKindOf } from './frames/registry'
import { personalKindOf } from './frames/personal'
import { reducedTransfer, transferAudience, type TransferForm } from './frames/transfer'
import { contactViewersOf } from './contact-viewers'

/**
 * A past event that is replayed to several sockets. Lookups and rendered frames are shared between
 * them.
 */
export interface PastEvent {
  event: LoggedEvent
  /** Rendered frames, by masking. */
  texts: Map<'clear' | 'masked' | 'lost', string | null>
  /** Who sees its contact without `contacts:read_all`; `null` until first needed. */
  seers: string[] | null
  /** What each actor receives of an event about a transfer; `null` until first needed. */
  formFor?: ReturnType<typeof transferAudience>
}

export type EventScope = Pick<Ctx, 'db' | 'organizationId' | 'actor'>

/**
 * Returns the frame of a past event for the actor, or `null` if the actor may not receive it now.
 */
export function shownAs(
  ctx: EventScope,
  past: PastEvent,
): 'clear' | 'masked' | 'lost' | 'personal' | null {
  const { event } = past
  const userId = ctx.actor.userId ?? ''
  const kind = frameKindOf(event)
  if (!kind)
    return personalKindOf(event)?.usersOf(ctx, event).includes(userId) === true ? 'personal' : null
  if (kind.watchedAs?.(event)) return null
  const isAbout =
    ctx.actor.apiKeyId === null &&
    kind.personOf !== undefined &&
    kind.personOf(event) === ctx.actor.userId
  if (!isAbout && !hasPermission(ctx.actor, `${kind.resource}:read`)) return null
  const form = kind.audience === 'listed' ? transferFormOf(ctx, past) : 'full'
  if (form !== 'full') return form === 'reduced' ? 'lost' : null
  if (kind.audience !== 'sight' || sees(ctx, kind, past))
    return masksNumbers(ctx) ? 'masked' : 'clear'
  return isAmong(ctx, visibilityLossOf(event)?.users ?? []) ? 'lost' : null
}

/**
 * Returns a past event as the actor may see it now, or `null` if the actor may not see it or its
 * subject is gone.
 */
export function renderFor(ctx: EventScope, past: PastEvent): string | null {
  const shown = shownAs(ctx, past)
  if (shown === null) return null
  if (shown === 'personal') return renderPersonally(ctx, past.event)
  const known = past.texts.get(shown)
  if (known !== undefined) return known
  const text = renderShown(ctx, past.event, shown)
  past.texts.set(shown, text)
  return text
}

function renderShown(
  ctx: FrameScope,
  event: LoggedEvent,
  shown: 'clear' | 'masked' | 'lost',
): string | null {
  const kind = frameKindOf(event)
  const payload =
    shown === 'lost'
      ? kind?.audience === 'listed'
        ? reducedTransfer(ctx, event)
        : visibilityLossOf(event)?.payload
      : kind?.render(ctx, event, shown === 'masked')
  return kind && payload
    ? frameText(
        { type: kind.typeOf(event), payload },
        { seq: event.seq, atMs: event.atMs, replayed: true },
      )
    : null
}

function renderPersonally(ctx: EventScope, event: LoggedEvent): string | null {
  const kind = personalKindOf(event)
  const to = { userId: ctx.actor.userId ?? '', apiKeyId: ctx.actor.apiKeyId }
  const payload = kind?.usersOf(ctx, event).includes(to.userId) ? kind.render(ctx, event, to) : null
  return kind && payload
    ? frameText({ type: kind.type, payload }, { seq: event.seq, atMs: event.atMs, replayed: true })
    : null
}

function sees(ctx: EventScope, kind: FrameKind, past: PastEvent): boolean {
  if (!hasPermission(ctx.actor, 'contacts:read')) return false
  if (seesAll(ctx.actor)) return true
  const { contactId, atMs } = past.event
  const fromMs = contactId === null ? undefined : historyFromMs(ctx, contactId)
  if (kind.resource === 'messages' && fromMs !== undefined && atMs < fromMs) return false
  past.seers ??= contactViewersOf(ctx, kind, past.event)
  return isAmong(ctx, past.seers)
}

function transferFormOf(ctx: EventScope, past: PastEvent): TransferForm {
  past.formFor ??= transferAudience(ctx, past.event)
  return past.formFor(ctx.actor)
}
