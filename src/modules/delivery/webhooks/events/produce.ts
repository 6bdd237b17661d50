import type { Static, TSchema } from '@sinclair/typebox'

import { isoTime } from '../../../../lib/clock'
import { sha256Hex } from '../../../../lib/hash'
import { systemCtx, type Ctx, type Deps } from '../../../../infra/ctx'
import type { EventDefinition, LoggedEvent } from '../../../../infra/outbox/events'
import { fitted, sizeOf } from '../../realtime/frames/truncate'
import { MAX_BODY_BYTES } from '../rules'

/** The data of an event, or `null` if its subject is gone. */
export type EventData = Record<string, unknown> | null

/** An event of outbound webhooks made from an entry of the event log. */
export interface ProducedEvent {
  type: string
  contactId: string | null
  /** Whether erasing the contact must erase its payload. */
  isPersonal: boolean
  /** Phone number of the event, or `null` if it has none. */
  accountId: string | null
  /** Returns the data, with masked phone numbers if `ctx.actor.hidesNumbers`. */
  render: (ctx: Ctx) => EventData
}

/** Describes what an entry of the log becomes: no event, one or more. */
export type Producer = (ctx: Ctx, event: LoggedEvent) => ProducedEvent[]

/** Defines the producer of one kind of entry. */
export const produces = <S extends TSchema>(
  event: EventDefinition<S>,
  make: (
    ctx: Ctx,
    payload: Static<S>,
    event: LoggedEvent,
  ) => (Pick<ProducedEvent, 'type' | 'render'> & Partial<ProducedEvent>)[],
): readonly [string, Producer] => [
  event.name,
  (ctx, logged) =>
    make(ctx, logged.payload as Static<S>, logged).map((made) => ({
      contactId: logged.contactId,
      isPersonal: logged.contactId !== null,
      accountId: null,
      ...made,
    })),
]

/** Returns the context in which an event is rendered: everything is visible. */
export function renderCtx(deps: Deps, organizationId: string, isMasked: boolean): Ctx {
  const ctx = systemCtx(deps, organizationId)
  return isMasked ? { ...ctx, actor: { ...ctx.actor, hidesNumbers: true } } : ctx
}

/** Returns the ID of an event: the same at every endpoint and after a restart. */
export const eventId = (logId: string, at: { position: number; type: string }): string =>
  `evt_${sha256Hex(`${logId}:${at.position}:${at.type}`).slice(0, 32)}`

/** Returns the signed bytes of an event: its envelope with the data. */
export const bodyOf = (
  event: { id: string; type: string; atMs: number; organizationId: string; seq: number },
  data: Record<string, unknown>,
): string => {
  const envelope = {
    id: event.id,
    type: event.type,
    timestamp: isoTime(event.atMs),
    organization_id: event.organizationId,
    seq: event.seq,
  }
  const room = MAX_BODY_BYTES - sizeOf({ ...envelope, data: 0 })
  return JSON.stringify({ ...envelope, data: fitted(data, room) })
}
