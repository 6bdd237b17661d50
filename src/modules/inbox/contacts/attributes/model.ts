import { Type, type Static } from '@sinclair/typebox'

import { lineText, nameText } from '../../../../lib/fields'

const AttributeType = Type.Union([
  Type.Literal('text'),
  Type.Literal('number'),
  Type.Literal('boolean'),
  Type.Literal('date'),
  Type.Literal('select'),
  Type.Literal('url'),
  Type.Literal('email'),
])
const Key = Type.String({
  pattern: '^[a-z][a-z0-9_]{0,49}$',
  description:
    'Key for programs: lowercase letters, digits and underscores, starting with a letter.',
})
const Label = nameText(255, { description: 'Display name of the field.' })
const Options = Type.Array(lineText(255), {
  maxItems: 200,
  description: 'For `select`: the values to choose from.',
})

/** A custom field of contacts. */
export const AttributeView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    key: Type.String(),
    label: Type.String(),
    type: AttributeType,
    options: Type.Array(Type.String()),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'ContactAttribute' },
)
export type AttributeView = Static<typeof AttributeView>

/** Body of a new custom field. */
export const NewAttribute = Type.Object(
  { key: Key, label: Label, type: AttributeType, options: Type.Optional(Options) },
  {
    title: 'ContactAttributeInput',
    examples: [{ key: 'plan', label: 'Plan', type: 'select', options: ['Free', 'Pro'] }],
  },
)
export type NewAttribute = Static<typeof NewAttribute>

/** Changes to a custom field. Omitted fields stay unchanged. */
export const AttributeChanges = Type.Partial(
  Type.Object({ label: Label, type: AttributeType, options: Options }),
  {
    title: 'ContactAttributeChanges',
    minProperties: 1,
    examples: [{ label: 'Contract' }],
  },
)
export type AttributeChanges = Static<typeof AttributeChanges>
