import { and, asc, eq, inArray, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { calls } from '../../channel/calls/table'
import { media } from '../../channel/media/table'
import { messageStatuses } from '../../inbox/messages/status/table'
import { messageFiles, messages } from '../../inbox/messages/table'
import { isAiGenerated } from '../../inbox/messages/view'
import { archiveRow, type Facts } from './archive-row'
import { rowsOf } from './personal-data'

/** Number of messages read in one step. */
const STEP = 25

/** A media file: its name in the archive and in the file store. */
export interface FileOfMessage {
  name: string
  mediaId: string
  storedAs: string
}

type MediaRow = typeof media.$inferSelect

const placeOf = (file: Pick<MediaRow, 'id' | 'filename'>): string =>
  `files/${file.id}${/\.[A-Za-z0-9]{1,8}$/.exec(file.filename ?? '')?.[0] ?? ''}`

/** Collects the files of a person, each once. */
export class FilesOfPerson {
  /** By their names in the archive. */
  readonly byName = new Map<string, FileOfMessage>()

  constructor(private readonly ctx: Ctx) {}

  /** Returns what is known of files, each with its name in the archive, `null` if it is gone. */
  factsOf(mediaIds: (string | null)[]): Facts[] {
    const ids = mediaIds.filter((id) => id !== null)
    if (ids.length === 0) return []
    const rows = this.ctx.db.orm
      .select()
      .from(media)
      .where(inOrganization(this.ctx, media, inArray(media.id, ids)))
      .all()
    return rows.map((row) => {
      const { id: mediaId, storedAs } = row
      const name = placeOf(row)
      if (storedAs !== null) this.byName.set(name, { name, mediaId, storedAs })
      return { file: storedAs === null ? null : name, ...archiveRow(media, row) }
    })
  }
}

/**
 * Yields a contact's messages, oldest first, each with its statuses and files. Adds the files to
 * `files`.
 */
export function* messageFacts(
  ctx: Ctx,
  contactId: string,
  files: FilesOfPerson,
): Generator<Facts[]> {
  const { timestampMs, id } = messages
  for (let after = { timestampMs: -1, id: '' }; ;) {
    const rows = ctx.db.orm
      .select()
      .from(messages)
      .where(
        inOrganization(
          ctx,
          messages,
          and(
            eq(messages.contactId, contactId),
            sql`(${timestampMs}, ${id}) > (${after.timestampMs}, ${sql.param(after.id, id)})`,
          ),
        ),
      )
      .orderBy(asc(timestampMs), asc(id))
      .limit(STEP)
      .all()
    const cards = cardFilesOf(ctx, rows)
    for (const row of rows)
      yield [
        {
          ...archiveRow(messages, { ...row, warnings: row.warnings ?? '[]' }),
          ai_generated: isAiGenerated(row),
          statuses: statusesOf(ctx, row),
          files: files.factsOf([row.mediaId, ...(cards.get(row.id) ?? [])]),
        },
      ]
    const last = rows.at(-1)
    if (rows.length < STEP || !last) return
    after = last
  }
}

/** Returns the files of carousel cards by message. */
function cardFilesOf(ctx: Ctx, rows: { id: string }[]): Map<string, string[]> {
  const ids = rows.map(({ id }) => id)
  const found = ctx.db.orm
    .select()
    .from(messageFiles)
    .where(inOrganization(ctx, messageFiles, inArray(messageFiles.messageId, ids)))
    .all()
  const byMessage = Map.groupBy(found, ({ messageId }) => messageId)
  return new Map([...byMessage].map(([id, own]) => [id, own.map(({ mediaId }) => mediaId)]))
}

/** Yields a contact's calls, oldest first, each with its files. Adds the files to `files`. */
export function* callFacts(
  ctx: Ctx,
  contactIds: string[],
  files: FilesOfPerson,
): Generator<Facts[]> {
  for (const rows of rowsOf(ctx, calls, inArray(calls.contactId, contactIds)))
    yield rows.map((row) => ({
      ...archiveRow(calls, row),
      files: files.factsOf([row.recordingMediaId, row.transcriptMediaId]),
    }))
}

const statusesOf = (
  ctx: Ctx,
  { accountId, waMessageId }: Pick<typeof messages.$inferSelect, 'accountId' | 'waMessageId'>,
): Facts[] =>
  waMessageId === null
    ? []
    : ctx.db.orm
        .select()
        .from(messageStatuses)
        .where(
          inOrganization(
            ctx,
            messageStatuses,
            and(
              eq(messageStatuses.accountId, accountId),
              eq(messageStatuses.waMessageId, waMessageId),
            ),
          ),
        )
        .all()
        .map((row) => archiveRow(messageStatuses, row))
