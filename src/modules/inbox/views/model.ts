import { Type, type Static } from '@sinclair/typebox'

import { freeObject, nameText, oneOf } from '../../../lib/fields'
import { VIEW_RESOURCES } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })

const FILTER =
  'The query parameters of the list by name, with numbers and booleans as such. Without `page`, ' +
  '`limit` and `cursor`.'

const fields = {
  name: nameText(60),
  filter: freeObject({ description: FILTER }),
  is_shared: Type.Boolean({
    description:
      'Whether everyone in the organization sees the view. Requires `contacts:update`. Defaults ' +
      'to `false`.',
  }),
  position: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: 'Place in the list; the lowest comes first. A new view comes last by default.',
  }),
}

/** A saved view in API responses. */
export const SavedView = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    resource: Type.String({ enum: [...VIEW_RESOURCES] }),
    filter: Type.Record(Type.String(), Type.Unknown(), { description: FILTER }),
    is_shared: Type.Boolean(),
    position: Type.Integer(),
    owner: Type.Object(
      { id: Uuid, full_name: Type.String() },
      { description: 'The person who saved it.' },
    ),
    created_at: Time,
    updated_at: Time,
  },
  { title: 'View' },
)
export type SavedView = Static<typeof SavedView>

const example = {
  name: 'Waiting VIPs',
  resource: 'conversations' as const,
  filter: { state: 'open', tags: 'vip', sort: 'oldest_unanswered' },
}

/** A new view. */
export const NewView = Type.Object(
  {
    name: fields.name,
    resource: oneOf(VIEW_RESOURCES),
    filter: fields.filter,
    is_shared: Type.Optional(fields.is_shared),
    position: Type.Optional(fields.position),
  },
  { title: 'Created', examples: [example] },
)
export type NewView = Static<typeof NewView>

/** Changes to a view. Omitted fields stay as they are. */
export const ViewChanges = Type.Partial(Type.Object(fields), {
  title: 'ViewChanges',
  minProperties: 1,
  examples: [{ name: 'Waiting VIPs', position: 0 }],
})
export type ViewChanges = Static<typeof ViewChanges>

/** Number of rows that each view shows. */
export const ViewCountsAnswer = Type.Record(
  Type.String({ format: 'uuid' }),
  Type.Union([Type.Integer(), Type.Null()]),
  {
    title: 'ViewCounts',
    description:
      'By ID of the view: the number of its rows, up to 1,000. `null` if the view cannot be ' +
      'counted: its segment is too expensive, or you may not read its list.',
  },
)
export type ViewCountsAnswer = Record<string, number | null>
