import { eq } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { fieldSentence, InvalidError } from '../../../../lib/errors'
import { localDateOf, timeSpanOf } from '../../../../lib/local-day'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { requirePermissions } from '../../../../infra/require-permissions'
import { accounts } from '../../../channel/accounts/table'
import { recordAudit } from '../../../organization/audit/record'
import { requestedByOf } from '../../../organization/auth/delegated-ctx'
import { getConversation } from '../../../inbox/conversations/queries'
import { getOrganization } from '../../../organization/organizations/service'
import type { About } from './about'
import { entriesOf, PERMISSIONS, type Entry } from './entries'
import { csvPieces, jsonPieces } from './files'
import { htmlPieces } from './html'

/** Formats of a transcript. */
export const FORMATS = ['html', 'csv', 'json'] as const

/** A requested transcript. */
export interface TranscriptInput {
  format: (typeof FORMATS)[number]
  from?: string | undefined
  to?: string | undefined
  hasNotes: boolean
}

/** A transcript file that is generated while it is sent. */
export interface TranscriptFile {
  filename: string
  mimeType: string
  pieces: Generator<string>
}

const WRITERS: Record<
  TranscriptInput['format'],
  { mimeType: string; write: (about: About, pages: Generator<Entry[]>) => Generator<string> }
> = {
  html: { mimeType: 'text/html; charset=utf-8', write: htmlPieces },
  csv: { mimeType: 'text/csv; charset=utf-8', write: csvPieces },
  json: { mimeType: 'application/json; charset=utf-8', write: jsonPieces },
}

/**
 * Opens the transcript of a conversation, limited to what the caller can see, and records the
 * download. Throws NotFoundError, ForbiddenError `permission_denied` and InvalidError for an
 * invalid period.
 */
export function openTranscript(ctx: Ctx, id: string, input: TranscriptInput): TranscriptFile {
  const conversation = getConversation(ctx, id)
  requirePermissions(ctx.actor, PERMISSIONS)
  const { name, timezone } = getOrganization(ctx)
  const part = {
    conversationId: conversation.id,
    contactId: conversation.contact.id,
    hasNotes: input.hasNotes,
    ...partOf(input, timezone),
  }
  const nowMs = ctx.clock.nowMs()
  const about: About = {
    conversation,
    organizationName: name,
    timezone,
    account: accountOf(ctx, conversation.account_id),
    from: input.from ?? null,
    to: input.to ?? null,
    madeAt: isoTime(nowMs),
    madeBy: ctx.actor.userName,
    baseUrl: ctx.settings.baseUrl,
  }
  transact(ctx.db, (tx) =>
    recordAudit(tx, ctx, {
      action: 'exported',
      resourceType: 'conversation',
      resourceId: conversation.id,
      resourceName: `transcript.${input.format}`,
    }),
  )
  const { mimeType, write } = WRITERS[input.format]
  return {
    filename: `transcript-${localDateOf(nowMs, timezone)}.${input.format}`,
    mimeType,
    pieces: write(about, entriesOf(ctx, requestedByOf(ctx.actor), part)),
  }
}

/** Returns the requested period. Days are in the organization's time zone. */
function partOf(
  { from, to }: TranscriptInput,
  timezone: string,
): { fromMs: number; beforeMs: number } {
  const spans = {
    from: from === undefined ? null : timeSpanOf(from, timezone),
    to: to === undefined ? null : timeSpanOf(to, timezone),
  }
  const problems = (['from', 'to'] as const).flatMap((name) =>
    (name === 'from' ? from : to) !== undefined && spans[name] === null
      ? [
          {
            path: `query.${name}`,
            message: 'must be a date such as 2026-11-21 or a time such as 2026-11-21T09:30:00Z',
          },
        ]
      : [],
  )
  const [fromMs, beforeMs] = [
    spans.from?.fromMs ?? 0,
    spans.to?.beforeMs ?? Number.MAX_SAFE_INTEGER,
  ]
  if (problems.length === 0 && beforeMs <= fromMs)
    problems.push({ path: 'query.to', message: 'must not be before `from`' })
  const [first] = problems
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'invalid_input',
      errors: problems,
    })
  return { fromMs, beforeMs }
}

/** Returns the phone number of a conversation, also if it was deleted. */
function accountOf(ctx: Ctx, id: string): About['account'] {
  const row = ctx.db.orm
    .select({ name: accounts.name, display: accounts.displayPhoneNumber })
    .from(accounts)
    .where(inOrganization(ctx, accounts, eq(accounts.id, id)))
    .get()
  return { name: row?.name ?? '', phone_number: row?.display ?? null }
}
