import { Type, type Static } from '@sinclair/typebox'

import { oneOf } from '../../../../lib/fields'
import { normalizeId, UUID_PATTERN } from '../../../../lib/ids'
import { SegmentFilter } from '../segment-filter/schema'
import type { ContactQuery } from './list'

/** Query parameters that filter and sort a list of contacts. */
export const contactFilters = {
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'The beginning of one or more words of the name, or at least two digits of the phone number, in any format.',
    }),
  ),
  account_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Account last used with this contact.' }),
  ),
  assigned_to: Type.Optional(
    Type.String({
      pattern: `^(me|none|${UUID_PATTERN})$`,
      description: 'User ID, `me`, or `none` for unassigned.',
    }),
  ),
  tags: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'Comma-separated tag IDs or names.',
    }),
  ),
  tags_mode: Type.Optional(
    oneOf(['any', 'all'], {
      description: '`any` (default) or `all` of the tags.',
    }),
  ),
  consent: Type.Optional(oneOf(['unknown', 'opted_in', 'opted_out'])),
  blocked: Type.Optional(Type.Boolean()),
  has_phone: Type.Optional(Type.Boolean()),
  segment_id: Type.Optional(Type.String({ format: 'uuid', description: 'ID of a segment.' })),
  created_from: Type.Optional(
    Type.String({ format: 'date-time', description: 'Created at or after this time.' }),
  ),
  created_to: Type.Optional(
    Type.String({ format: 'date-time', description: 'Created before this time.' }),
  ),
  sort: Type.Optional(
    oneOf(['last_message_at', 'created_at', 'name'], {
      description: 'Sort field. Defaults to `last_message_at`.',
    }),
  ),
  order: Type.Optional(
    oneOf(['asc', 'desc'], {
      description: 'Sort order. Defaults to `desc`, or `asc` when sorting by name.',
    }),
  ),
}

/** Fields of a body that select contacts: those of the list, and a filter as segments have it. */
export const contactSelection = { ...contactFilters, filter: Type.Optional(SegmentFilter) }

const Filters = Type.Object(contactSelection)

/** Query parameters of a list of contacts. */
interface ContactParameters extends Static<typeof Filters> {
  page?: number
  limit?: number
  cursor?: string
}

/** Converts the query parameters of a contact list. */
export const contactQueryOf = (query: ContactParameters): ContactQuery => {
  const { page = 1, limit = 20, cursor, search, sort = 'last_message_at' } = query
  const tagNames = query.tags?.split(',').filter((tag) => tag.trim() !== '')
  return {
    ...{ page, limit, cursor, search, sort },
    order: query.order ?? (sort === 'name' ? ('asc' as const) : ('desc' as const)),
    accountId: query.account_id,
    assignedTo: query.assigned_to === undefined ? undefined : normalizeId(query.assigned_to),
    tags: tagNames,
    tagsMode: query.tags_mode,
    consent: query.consent,
    isBlocked: query.blocked,
    hasPhone: query.has_phone,
    segmentId: query.segment_id,
    filter: query.filter,
    createdFromMs: query.created_from === undefined ? undefined : Date.parse(query.created_from),
    createdBeforeMs: query.created_to === undefined ? undefined : Date.parse(query.created_to),
  }
}
