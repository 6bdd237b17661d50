import { Type, type Static } from '@sinclair/typebox'

import { nameText } from '../../../lib/fields'

import { ContactView } from '../../inbox/contacts/model'
import {
  EXAMPLE_FILTER as example,
  SegmentFilter as Filter,
} from '../../inbox/contacts/segment-filter/schema'

const Name = nameText(255)
const Description = Type.Union([Type.String({ maxLength: 4_096 }), Type.Null()])

/** A segment in API responses. */
export const SegmentView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    description: Type.Union([Type.String(), Type.Null()]),
    filter: Type.Record(Type.String(), Type.Unknown()),
    shared: Type.Boolean(),
    created_by: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
    last_count: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'Number of contacts when last counted. `null` for callers who cannot see all contacts.',
    }),
    last_counted_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Segment' },
)
export type SegmentView = Static<typeof SegmentView>

/** A new segment. */
export const NewSegment = Type.Object(
  {
    name: Name,
    description: Type.Optional(Description),
    filter: Filter,
    shared: Type.Optional(
      Type.Boolean({
        description:
          'Whether everyone in the organization can use the segment. Requires `contacts:update`. ' +
          'Defaults to `false`.',
      }),
    ),
  },
  { title: 'SegmentInput', examples: [{ name: 'Regulars', filter: example }] },
)
export type NewSegment = Static<typeof NewSegment>

/** Changes to a segment. Omitted fields stay as they are. */
export const SegmentChanges = Type.Partial(
  Type.Object({ name: Name, description: Description, filter: Filter, shared: Type.Boolean() }),
  {
    title: 'SegmentChanges',
    minProperties: 1,
    examples: [{ name: 'Regular customers' }],
  },
)
export type SegmentChanges = Static<typeof SegmentChanges>

/** A filter to preview. */
export const SegmentProbe = Type.Object(
  { filter: Filter },
  { title: 'SegmentProbe', examples: [{ filter: example }] },
)

/** The contacts that match a filter. */
export const SegmentPreview = Type.Object(
  {
    count: Type.Integer(),
    sample: Type.Array(ContactView, { description: 'Ten matching contacts.' }),
    excluded: Type.Object(
      { opted_out: Type.Integer(), blocked: Type.Integer(), no_phone: Type.Integer() },
      { description: 'Number of contacts that a campaign would exclude, by reason.' },
    ),
  },
  { title: 'SegmentPreview' },
)
export type SegmentPreview = Static<typeof SegmentPreview>
