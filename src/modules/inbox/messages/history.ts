import { and, asc, eq } from 'drizzle-orm'
import { Type, type Static } from '@sinclair/typebox'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { maskPhonesIn } from '../../../lib/phone'
import { masksNumbers } from '../contacts/sight/visibility'
import { visibleMessage } from './queries'
import { sendAttempts } from './table'
import { messageStatuses } from './status/table'
import { messageRevisions } from './inbound/table'
import { contentView, maskJson, type MessageRow } from './view'

const Time = Type.String({ format: 'date-time' })
const timeOrNull = Type.Union([Time, Type.Null()])
const textOrNull = Type.Union([Type.String(), Type.Null()])
const numberOrNull = Type.Union([Type.Integer(), Type.Null()])
const Anything = Type.Record(Type.String(), Type.Unknown())

/** One event of a message: a reported status, a call, an edit or a deletion. */
export const MessageFact = Type.Object(
  {
    kind: Type.String({
      enum: ['status', 'attempt', 'original', 'edit', 'revoke'],
      description: 'For `original`: the content before the first edit.',
    }),
    timestamp: Type.String({
      format: 'date-time',
      description: 'Time according to the platform, or of this server for attempts.',
    }),
    received_at: timeOrNull,
    status: Type.Optional(Type.String({ description: 'Status as reported by the platform.' })),
    participant: Type.Optional(
      Type.String({ description: 'Group member that the event concerns.' }),
    ),
    errors: Type.Optional(Type.Array(Anything)),
    pricing: Type.Optional(Type.Union([Anything, Type.Null()])),
    template_id: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'ID of the WhatsApp template that the status names.',
      }),
    ),
    attempt: Type.Optional(Type.Integer()),
    path: Type.Optional(
      Type.String({
        enum: ['messages', 'marketing_messages'],
        description: "The platform's path that the attempt was made on.",
      }),
    ),
    ended_at: Type.Optional(timeOrNull),
    outcome: Type.Optional(
      Type.Union([
        Type.String({ enum: ['accepted', 'refused', 'ambiguous', 'unreachable'] }),
        Type.Null(),
      ]),
    ),
    http_status: Type.Optional(numberOrNull),
    platform_code: Type.Optional(numberOrNull),
    trace_id: Type.Optional(textOrNull),
    content: Type.Optional(Type.Union([Anything, Type.Null()])),
  },
  { title: 'MessageFact' },
)
export type MessageFact = Static<typeof MessageFact>

/** An event with its sort time. */
type Dated = MessageFact & { atMs: number }

/** Returns all events of a message in order. Throws NotFoundError if it is not visible. */
export function messageHistory(ctx: Ctx, id: string): { items: MessageFact[] } {
  const row = visibleMessage(ctx, id)
  const dated = [...attemptsOf(ctx, row), ...statusesOf(ctx, row), ...revisionsOf(ctx, row)]
  return {
    items: dated.toSorted((a, b) => a.atMs - b.atMs).map(({ atMs: _atMs, ...fact }) => fact),
  }
}

function attemptsOf(ctx: Ctx, row: MessageRow): Dated[] {
  return ctx.db.orm
    .select()
    .from(sendAttempts)
    .where(inOrganization(ctx, sendAttempts, eq(sendAttempts.messageId, row.id)))
    .orderBy(asc(sendAttempts.attempt))
    .all()
    .map((call) => ({
      kind: 'attempt',
      atMs: call.startedAtMs,
      timestamp: isoTime(call.startedAtMs),
      received_at: null,
      attempt: call.attempt,
      path: call.path,
      ended_at: isoTimeOrNull(call.endedAtMs),
      outcome: call.outcome,
      http_status: call.httpStatus,
      platform_code: call.platformCode,
      trace_id: call.traceId,
    }))
}

/** Order of statuses with the same time. */
const WORDS = ['sent', 'delivered', 'read', 'played', 'failed']

function statusesOf(ctx: Ctx, row: MessageRow): Dated[] {
  if (row.waMessageId === null || row.direction !== 'outgoing') return []
  const isMasked = masksNumbers(ctx)
  return ctx.db.orm
    .select()
    .from(messageStatuses)
    .where(
      inOrganization(
        ctx,
        messageStatuses,
        and(
          eq(messageStatuses.accountId, row.accountId),
          eq(messageStatuses.waMessageId, row.waMessageId),
        ),
      ),
    )
    .limit(5_000)
    .all()
    .toSorted((a, b) => WORDS.indexOf(a.status) - WORDS.indexOf(b.status))
    .map((fact) => ({
      kind: 'status',
      atMs: fact.timestampMs,
      timestamp: isoTime(fact.timestampMs),
      received_at: isoTime(fact.receivedAtMs),
      status: fact.status,
      ...(fact.participant === ''
        ? {}
        : { participant: isMasked ? maskPhonesIn(fact.participant) : fact.participant }),
      errors: (isMasked ? maskJson(fact.errors) : JSON.parse(fact.errors)) as Record<
        string,
        unknown
      >[],
      pricing: fact.pricing === null ? null : (JSON.parse(fact.pricing) as Record<string, unknown>),
      template_id: fact.templateId,
    }))
}

function revisionsOf(ctx: Ctx, row: MessageRow): Dated[] {
  if (row.waMessageId === null) return []
  const isMasked = masksNumbers(ctx)
  return ctx.db.orm
    .select()
    .from(messageRevisions)
    .where(
      inOrganization(
        ctx,
        messageRevisions,
        and(
          eq(messageRevisions.accountId, row.accountId),
          eq(messageRevisions.targetWaMessageId, row.waMessageId),
        ),
      ),
    )
    .orderBy(asc(messageRevisions.timestampMs), asc(messageRevisions.waMessageId))
    .limit(1_000)
    .all()
    .map((revision) => ({
      kind: revision.kind,
      atMs: revision.timestampMs,
      timestamp: isoTime(revision.timestampMs),
      received_at: isoTime(revision.receivedAtMs),
      content: contentOfVersion(revision.content, isMasked),
    }))
}

/** Returns the content of a version; `null` if it is not stored. */
function contentOfVersion(
  version: string | null,
  isMasked: boolean,
): Record<string, unknown> | null {
  const { type = '', content } =
    version === null
      ? {}
      : (JSON.parse(version) as { type?: string; content?: Record<string, unknown> })
  return content === undefined
    ? null
    : contentView({ type, content: JSON.stringify(content) }, isMasked, () => [])
}
