import { Type, type Static } from '@sinclair/typebox'

import { lineText, nameText } from '../../../lib/fields'
import { CannedButtons } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Name = nameText(100)
const Content = Type.String({
  minLength: 1,
  maxLength: 4_096,
  description:
    '{{contact_name}}, {{phone_number}} and {{agent_name}} are replaced when it is ' + 'rendered.',
})
const Shortcut = Type.Union([Type.String({ pattern: '^[a-z0-9_-]{1,50}$' }), Type.Null()], {
  description: 'Text to type to find the response: lowercase letters, digits, - and _.',
})
const Category = nameText(50, { description: 'Defaults to `general`.' })
const textOrNull = Type.Union([Type.String(), Type.Null()])

/** A button of a canned response. */
const Button = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 256 }),
    title: lineText(20),
    type: Type.Union([
      Type.Literal('reply'),
      Type.Literal('url'),
      Type.Literal('phone'),
      Type.Literal('flow'),
    ]),
    url: Type.Optional(Type.Union([Type.String({ maxLength: 2_048 }), Type.Null()])),
    phone_number: Type.Optional(Type.Union([Type.String({ maxLength: 30 }), Type.Null()])),
    flow_id: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
  },
  { title: 'CannedButton' },
)
export type CannedButton = Static<typeof Button>

/** A canned response in API responses. */
export const CannedResponseView = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    shortcut: textOrNull,
    content: Type.String(),
    category: Type.String(),
    is_active: Type.Boolean(),
    usage_count: Type.Integer(),
    buttons: CannedButtons,
    media_id: Type.Union([Uuid, Type.Null()]),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'CannedResponse' },
)
export type CannedResponseView = Static<typeof CannedResponseView>

const optional = {
  shortcut: Type.Optional(Shortcut),
  category: Type.Optional(Category),
  is_active: Type.Optional(Type.Boolean({ description: 'Defaults to `true`.' })),
  buttons: Type.Optional(Type.Array(Button, { maxItems: 10 })),
  media_id: Type.Optional(
    Type.Union([Uuid, Type.Null()], { description: 'File to send with the response.' }),
  ),
}

/** A new canned response. */
export const NewCannedResponse = Type.Object(
  { name: Name, content: Content, ...optional },
  {
    title: 'CannedResponseInput',
    examples: [
      {
        name: 'Opening hours',
        shortcut: 'hours',
        content: 'Hello {{contact_name}}, we are here from 9 to 17.',
        category: 'general',
      },
    ],
  },
)
export type NewCannedResponse = Static<typeof NewCannedResponse>

/** Changes to a canned response. Omitted fields stay as they are. */
export const CannedResponseChanges = Type.Object(
  { name: Type.Optional(Name), content: Type.Optional(Content), ...optional },
  { title: 'CannedResponseChanges', minProperties: 1, examples: [{ is_active: false }] },
)
export type CannedResponseChanges = Static<typeof CannedResponseChanges>

/** The contact for which a canned response is rendered. */
export const RenderFor = Type.Object(
  { contact_id: Uuid },
  { title: 'RenderFor', examples: [{ contact_id: '019a52b0-1c00-7000-8000-000000000005' }] },
)

/** A rendered canned response. */
export const RenderedResponse = Type.Object(
  { content: Type.String(), buttons: CannedButtons },
  { title: 'RenderedResponse' },
)
export type RenderedResponse = Static<typeof RenderedResponse>
