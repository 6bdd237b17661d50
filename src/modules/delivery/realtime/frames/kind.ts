import type { Static, TSchema } from '@sinclair/typebox'

import { isoTime } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import type { EventDefinition, LoggedEvent } from '../../../../infra/outbox/events'
import { fitted } from './truncate'

/** Where rows are read from to render a frame: an organization's part of the database. */
export type FrameScope = Pick<Ctx, 'db' | 'organizationId'>

/** Payload of a frame, or `null` if the subject of the event is gone. */
export type Payload = Record<string, unknown> | null

/** A rendered event. */
export interface RenderedFrame {
  type: string
  payload: Record<string, unknown>
}

/**
 * Receivers of an event: users who see its contact and have `{resource}:read`, or all users with
 * that permission, and the user it is about, whatever their permissions.
 */
export interface FrameKind {
  /** Frame type, spec 6.2; some events become one or another. */
  typeOf: (event: LoggedEvent) => string
  resource:
    | 'messages'
    | 'contacts'
    | 'accounts'
    | 'users'
    | 'flows'
    | 'campaigns'
    | 'templates'
    | 'transfers'
    | 'chatbot'
  /** `listed`: users who may list the transfer it is about (`frames/transfer.ts`). */
  audience: 'sight' | 'area' | 'listed'
  /** Id of the user it is about. */
  personOf?: (event: LoggedEvent) => string
  /**
   * Users who saw the contact through an assignment at the time of the event, if that can no longer
   * be queried.
   */
  seenBy?: (event: LoggedEvent) => string[]
  /**
   * Topics that a client must watch to receive the event, if only watching clients do. Such an
   * event is not in the log and is never replayed.
   */
  watchedAs?: (event: LoggedEvent) => string[] | null
  /** `null` if the subject of the event is gone. */
  render: (scope: FrameScope, event: LoggedEvent, isMasked: boolean) => Payload
}

/** The kind of frame that one kind of event becomes. */
export type FrameEntry = readonly [event: string, kind: FrameKind]

/**
 * Description of a kind of event. `render` gets the event's payload and its time, epoch
 * milliseconds.
 */
interface FrameWords<P> {
  type: string | ((payload: P) => string)
  resource: FrameKind['resource']
  audience: FrameKind['audience']
  personOf?: (payload: P) => string
  seenBy?: (payload: P) => string[]
  watchedAs?: (payload: P) => string[] | null
  render: (scope: FrameScope, payload: P, at: { isMasked: boolean; atMs: number }) => Payload
}

/** Defines the frame of a kind of event. Its payload is truncated to the size limit of frames. */
export function frame<S extends TSchema>(
  event: EventDefinition<S>,
  words: FrameWords<Static<S>>,
): FrameEntry {
  const { type, personOf, seenBy, watchedAs, render } = words
  const payloadOf = (logged: LoggedEvent): Static<S> => logged.payload as Static<S>
  return [
    event.name,
    {
      resource: words.resource,
      audience: words.audience,
      typeOf: (logged) => (typeof type === 'string' ? type : type(payloadOf(logged))),
      ...(personOf ? { personOf: (logged: LoggedEvent) => personOf(payloadOf(logged)) } : {}),
      ...(seenBy ? { seenBy: (logged: LoggedEvent) => seenBy(payloadOf(logged)) } : {}),
      ...(watchedAs ? { watchedAs: (logged: LoggedEvent) => watchedAs(payloadOf(logged)) } : {}),
      render(scope, logged, isMasked) {
        const payload = render(scope, payloadOf(logged), { isMasked, atMs: logged.atMs })
        return payload && fitted(payload)
      },
    },
  ]
}

/** A frame as text: `{type, payload, seq, at}` (spec 6.2). */
export const frameText = (
  rendered: RenderedFrame,
  at: { seq: number | null; atMs: number; replayed?: true; replyTo?: string | undefined },
): string =>
  JSON.stringify({
    ...rendered,
    seq: at.seq,
    at: isoTime(at.atMs),
    ...(at.replayed ? { replayed: true } : {}),
    ...(at.replyTo === undefined ? {} : { reply_to: at.replyTo }),
  })
