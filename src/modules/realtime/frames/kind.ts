import type { Static, TSchema } from '@sinclair/typebox'

import { isoTime } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import type { EventDefinition, LoggedEvent } from '../../../infra/outbox/events'
import { fitted } from './truncate'

/** Where rows are read from to render a frame: an organization's part of the database. */
export type FrameScope = Pick<Ctx, 'db' | 'organizationId'>

/** What an event says, or `null` when what it tells of is gone. */
export type Payload = Record<string, unknown> | null

/** What an event becomes on the wire. */
export interface Rendered {
  type: string
  payload: Record<string, unknown>
}

/**
 * Who may hear of an event: those who see its contact and hold `{resource}:read`, or simply the
 * holders of that right, and the person it is about, whatever it holds.
 */
export interface FrameKind {
  /** Frame type, spec 6.2; some events become one or another. */
  typeOf: (event: LoggedEvent) => string
  resource: 'messages' | 'contacts' | 'accounts' | 'users' | 'flows' | 'campaigns' | 'templates'
  audience: 'sight' | 'area'
  /** Id of the user it is about. */
  personOf?: (event: LoggedEvent) => string
  /**
   * Users who saw the contact by an assignment when it happened, where that is not to be read any
   * more.
   */
  seenBy?: (event: LoggedEvent) => string[]
  /**
   * What must be watched to hear of it, where only those hear who watch: then it is not in the log
   * for them, and nobody gets it later.
   */
  watchedAs?: (event: LoggedEvent) => string[] | null
  /** `null` when what it tells of is gone. */
  render: (scope: FrameScope, event: LoggedEvent, isMasked: boolean) => Payload
}

/** The kind of frame that one kind of event becomes. */
export type FrameEntry = readonly [event: string, kind: FrameKind]

/**
 * What is said about a kind of event; `render` gets the event's payload and when it happened, epoch
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

/**
 * Says what a kind of event becomes for sockets. Whatever it says is cut to what fits into a frame.
 */
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
  rendered: Rendered,
  at: { seq: number | null; atMs: number; replayed?: true; replyTo?: string | undefined },
): string =>
  JSON.stringify({
    ...rendered,
    seq: at.seq,
    at: isoTime(at.atMs),
    ...(at.replayed ? { replayed: true } : {}),
    ...(at.replyTo === undefined ? {} : { reply_to: at.replyTo }),
  })
