import { Type, type Static } from '@sinclair/typebox'

import { nameText } from '../../../lib/fields'
import { TAG_COLORS } from './table'

const Color = Type.Union(
  TAG_COLORS.map((color) => Type.Literal(color)),
  { description: 'Defaults to gray.' },
)

/** Maximum length of a tag name, in characters. */
export const MAX_TAG_LENGTH = 50

const Name = nameText(MAX_TAG_LENGTH, {
  description: 'Unique in the organization. Case-insensitive.',
})

/** A tag in API responses. */
export const TagView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    color: Type.String({ enum: [...TAG_COLORS] }),
    contact_count: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'Number of contacts with the tag. `null` for callers who cannot see all contacts.',
    }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Tag' },
)
export type TagView = Static<typeof TagView>

/** Body of a new tag. */
export const NewTag = Type.Object(
  { name: Name, color: Type.Optional(Color) },
  { title: 'TagInput', examples: [{ name: 'VIP', color: 'purple' }] },
)
export type NewTag = Static<typeof NewTag>

/** Changes to a tag. Omitted fields stay unchanged. */
export const TagChanges = Type.Object(
  { name: Type.Optional(Name), color: Type.Optional(Color) },
  { title: 'TagChanges', minProperties: 1, examples: [{ name: 'Regular' }] },
)
export type TagChanges = Static<typeof TagChanges>
