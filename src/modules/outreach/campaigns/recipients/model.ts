import { Type, type Static } from '@sinclair/typebox'

import { freeObject, listOfObjects } from '../../../../lib/fields'

/**
 * Maximum number of recipients in a JSON body, and of file rows that are imported without a job.
 */
export const MAX_AT_ONCE = 10_000

const Params = (description: string) => Type.Optional(freeObject({ description }))

/** A recipient in a request: exactly one of phone number, contact ID and user ID. */
export const NewRecipient = Type.Object({
  phone_number: Type.Optional(Type.String({ maxLength: 64 })),
  contact_id: Type.Optional(Type.String({ maxLength: 64 })),
  user_id: Type.Optional(Type.String({ maxLength: 255 })),
  recipient_name: Type.Optional(
    Type.String({ maxLength: 255, description: "Used as the contact's name if it has none." }),
  ),
  template_params: Params('Body variables, by name or number.'),
  header_params: Params('Header variable.'),
  button_params: Params('Button values, by zero-based index.'),
  columns: Params('Other values, to which variables of the template can be bound.'),
})
export type NewRecipient = Static<typeof NewRecipient>

/** Recipients are validated one by one, so that an invalid one does not reject the others. */
const UncheckedRecipient = freeObject({
  properties: NewRecipient.properties,
}) as unknown as typeof NewRecipient

/** Why a row was rejected. */
const RowProblem = Type.Object({
  row: Type.Integer({ description: 'From 1.' }),
  phone_number: Type.Union([Type.String(), Type.Null()]),
  reason: Type.String(),
})
export type RecipientProblem = Static<typeof RowProblem>

/** The result of an import of recipients. */
export const RecipientImportView = Type.Object(
  {
    imported: Type.Integer(),
    duplicates: Type.Integer({
      description: 'Rows already in the campaign, or repeated in the request.',
    }),
    invalid: Type.Integer(),
    total_recipients: Type.Integer(),
    errors: Type.Array(RowProblem, { description: 'The first 100.' }),
  },
  { title: 'RecipientsBrought' },
)
export type RecipientImportView = Static<typeof RecipientImportView>

/** The form fields beside the file. */
export const FORM_FIELDS = {
  recipients: Type.Optional(
    listOfObjects(
      UncheckedRecipient,
      { minItems: 1, maxItems: MAX_AT_ONCE },
      `must be a list of up to ${MAX_AT_ONCE} recipients`,
    ),
  ),
  column_mapping: Type.Optional(
    Type.String({
      maxLength: 65_536,
      description:
        'For a file: JSON object that maps column headings to `phone_number`, `user_id`, ' +
        '`recipient_name`, `template_params.<variable>`, `header_params.<variable>`, ' +
        '`button_params.<index>`, `columns.<name>`, or `null`. Columns with these headings, or named like a ' +
        'variable, are mapped automatically.',
    }),
  ),
  replace: Type.Optional(
    Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')], {
      description: 'If `true`, replaces previously imported recipients. Defaults to `false`.',
    }),
  ),
} as const
