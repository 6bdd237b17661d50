import { Type, type Static } from '@sinclair/typebox'

import { SHOWN_ONCE } from '../../../lib/shown-once'
import { lineText, nameText, oneOf } from '../../../lib/fields'
import { ACTION_TYPES, METHODS } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const textOrNull = Type.Union([Type.String(), Type.Null()])

const VARIABLES =
  '`{{contact.…}}`, `{{user.…}}` and `{{organization.…}}` are replaced by fields, for example ' +
  '`{{contact.name}}` or `{{contact.attributes.plan}}`.'

const Url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description:
    `URL. Its host is fixed; after the host, ${VARIABLES} A value that would lead to another path, ` +
    'such as `..`, is refused.',
})

/** The configuration of an action. Which fields apply depends on its type. */
const ActionConfig = Type.Object(
  {
    url: Url,
    method: Type.Optional(oneOf(METHODS, { description: 'For `webhook`. Defaults to `POST`.' })),
    headers: Type.Optional(
      Type.Unknown({
        description:
          'For `webhook`: up to 20 headers. Values are write-only: responses show `***`. Send ' +
          '`***` or omit `headers` to keep the stored values. When `url` changes to another host, ' +
          'send all values again.',
      }),
    ),
    body: Type.Optional(
      Type.Union([Type.String({ maxLength: 65_536 }), Type.Null()], {
        description:
          'For `webhook`: the request body, JSON unless a header names another type. ' +
          `${VARIABLES} By default, contact, user and organization are sent as JSON.`,
      }),
    ),
    open_in_new_tab: Type.Optional(Type.Boolean({ description: 'For `url`. Defaults to `true`.' })),
  },
  { title: 'CustomActionConfigInput' },
)
export type ActionConfig = Static<typeof ActionConfig>

const fields = {
  icon: Type.Optional(
    Type.Union([lineText(50), Type.Null()], { description: 'Name of an icon of the client.' }),
  ),
  is_active: Type.Optional(Type.Boolean({ description: 'Defaults to `true`.' })),
  display_order: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: 'Position in lists. Defaults to 0.',
    }),
  ),
}

const ActionType = Type.String({
  maxLength: 50,
  description: '`webhook` sends a request; `url` opens an address in the client.',
})
const Name = nameText(100)

/** Body of a new custom action. */
export const NewCustomAction = Type.Object(
  { name: Name, action_type: ActionType, config: ActionConfig, ...fields },
  {
    title: 'CustomActionInput',
    examples: [
      {
        name: 'Open in the shop',
        icon: 'shopping-cart',
        action_type: 'url',
        config: { url: 'https://shop.example.com/customers?phone={{contact.phone_number}}' },
      },
    ],
  },
)
export type NewCustomAction = Static<typeof NewCustomAction>

/** Changes to a custom action. Omitted fields stay as they are. */
export const CustomActionChanges = Type.Object(
  {
    name: Type.Optional(Name),
    action_type: Type.Optional(ActionType),
    config: Type.Optional(ActionConfig),
    ...fields,
  },
  { title: 'CustomActionChanges', minProperties: 1, examples: [{ is_active: false }] },
)
export type CustomActionChanges = Static<typeof CustomActionChanges>

/** A custom action in API responses. */
export const CustomActionView = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    icon: textOrNull,
    action_type: Type.String({ enum: [...ACTION_TYPES] }),
    config: Type.Object({
      url: Type.String(),
      method: Type.Optional(Type.String({ enum: [...METHODS] })),
      headers: Type.Optional(
        Type.Record(Type.String(), Type.String(), { description: 'Each value is `***`.' }),
      ),
      body: Type.Optional(textOrNull),
      open_in_new_tab: Type.Optional(Type.Boolean()),
    }),
    is_active: Type.Boolean(),
    display_order: Type.Integer(),
    created_at: Time,
    updated_at: Time,
  },
  { title: 'CustomAction' },
)
export type CustomActionView = Static<typeof CustomActionView>

/** The contact on which an action is run. */
export const ActionTarget = Type.Object(
  { contact_id: Uuid },
  {
    title: 'CustomActionTarget',
    examples: [{ contact_id: '019a52b0-1c00-7000-8000-000000000005' }],
  },
)

/** The contact whose values a test takes, and changes that are not saved yet. */
export const ActionTest = Type.Object(
  {
    contact_id: Uuid,
    action_type: Type.Optional(ActionType),
    config: Type.Optional(ActionConfig),
  },
  {
    title: 'CustomActionTest',
    examples: [{ contact_id: '019a52b0-1c00-7000-8000-000000000005' }],
  },
)
export type ActionTest = Static<typeof ActionTest>

/** What a test sent, and what came back. */
export const ActionTestResult = Type.Object(
  {
    request: Type.Union(
      [
        Type.Object({
          method: Type.String({ enum: [...METHODS] }),
          url: Type.String(),
          headers: Type.Record(Type.String(), Type.String(), {
            description: 'Values are `***`, except for `content-type`.',
          }),
          body: textOrNull,
        }),
        Type.Null(),
      ],
      { description: '`null` if a value of the contact cannot be part of the address.' },
    ),
    response: Type.Union(
      [
        Type.Object({
          status: Type.Integer(),
          body: Type.Unknown({ description: 'JSON or text, up to 64 KiB.' }),
        }),
        Type.Null(),
      ],
      { description: '`null` without a response, and for `url`, which sends nothing.' },
    ),
    failure: Type.Union([Type.String(), Type.Null()], {
      description: 'Why there is no response. `null` if there is one.',
    }),
    duration_ms: Type.Integer(),
  },
  {
    title: 'CustomActionTestResult',
    examples: [
      {
        request: {
          method: 'POST',
          url: 'https://desk.example.com/tickets',
          headers: { 'content-type': 'application/json', authorization: '***' },
          body: '{"subject":"Question of Ana Sol"}',
        },
        response: { status: 201, body: { ticket: 4711 } },
        failure: null,
        duration_ms: 184,
      },
    ],
  },
)
export type ActionTestResult = Static<typeof ActionTestResult>

export const ActionResult = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String(),
    redirect_url: Type.Union([Type.String(), Type.Null()], {
      ...SHOWN_ONCE,
      description: 'For `url`: opens the address once, within 60 seconds.',
    }),
    data: Type.Unknown({
      description:
        'For `webhook`: `status` and `body` of the response, JSON or text. For `url`: ' +
        '`open_in_new_tab`. `null` without a response.',
    }),
    toast: Type.Object({
      message: Type.String(),
      type: Type.String({ enum: ['success', 'error', 'info'] }),
    }),
  },
  { title: 'CustomActionResult' },
)
export type ActionResult = Static<typeof ActionResult>
