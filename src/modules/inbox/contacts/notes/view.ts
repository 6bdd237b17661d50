import { isoTime } from '../../../../lib/clock'
import type { NoteView } from './model'
import type { notes } from './table'

/** Returns a note as the API shows it. */
export const noteView = (row: typeof notes.$inferSelect): NoteView => ({
  id: row.id,
  contact_id: row.contactId,
  content: row.content,
  mentions: JSON.parse(row.mentions) as string[],
  pinned: row.isPinned,
  created_by: row.createdBy,
  created_by_name: row.createdByName,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
