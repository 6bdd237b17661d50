import { Type, type Static } from '@sinclair/typebox'

import { freeObject, listOf } from '../../../lib/fields'

/** Recipients of one JSON body, and rows of a file that are worked off at once. */
export const MAX_AT_ONCE = 10_000

const Params = (description: string) => Type.Optional(freeObject({ description }))

/** Somebody a campaign is to be sent to: exactly one of number, contact and user id. */
export const NewRecipient = Type.Object({
  phone_number: Type.Optional(Type.String({ maxLength: 64 })),
  contact_id: Type.Optional(Type.String({ maxLength: 64 })),
  user_id: Type.Optional(Type.String({ maxLength: 255 })),
  recipient_name: Type.Optional(
    Type.String({ maxLength: 255, description: 'Fills the name of a contact that has none.' }),
  ),
  template_params: Params('By name or number of the variables in the text.'),
  header_params: Params('Of the variable in the header.'),
  button_params: Params('By place of the button, from 0.'),
})
export type NewRecipient = Static<typeof NewRecipient>

/** The same where each is looked at by itself: what is wrong with one harms no other. */
const LookedAt = freeObject({
  properties: NewRecipient.properties,
}) as unknown as typeof NewRecipient

/** What is the matter with a row that was not taken. */
const RowProblem = Type.Object({
  row: Type.Integer({ description: 'From 1.' }),
  phone_number: Type.Union([Type.String(), Type.Null()]),
  reason: Type.String(),
})
export type RowProblem = Static<typeof RowProblem>

/** What became of recipients that were brought in. */
export const RecipientImportView = Type.Object(
  {
    imported: Type.Integer(),
    duplicates: Type.Integer({
      description: 'The campaign had them already, or the rows name somebody twice.',
    }),
    invalid: Type.Integer(),
    total_recipients: Type.Integer(),
    errors: Type.Array(RowProblem, { description: 'The first hundred.' }),
  },
  { title: 'RecipientsBrought' },
)
export type RecipientImportView = Static<typeof RecipientImportView>

/** The fields of a form beside its file. */
export const FORM_FIELDS = {
  recipients: Type.Optional(
    listOf(
      LookedAt,
      { minItems: 1, maxItems: MAX_AT_ONCE },
      `must be a list of up to ${MAX_AT_ONCE} recipients`,
    ),
  ),
  column_mapping: Type.Optional(
    Type.String({
      maxLength: 65_536,
      description:
        'Of a file: a JSON object, heading → `phone_number`, `user_id`, `recipient_name`, `template_params.<variable>`, `header_params.<variable>`, `button_params.<place>`, or null. Other headings are recognized by these, and by the names of the variables.',
    }),
  ),
  replace: Type.Optional(
    Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')], {
      description: 'Instead of those brought in before. Default false.',
    }),
  ),
} as const
