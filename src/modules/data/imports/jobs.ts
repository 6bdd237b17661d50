import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'
import { ContactDeleted } from '../../inbox/contacts/events'

const textOrNull = Type.Union([Type.String(), Type.Null()])

/** Processes the rows of an import. */
export const RunImport = job('import.run', Type.Object({ importId: Type.String() }), {
  queue: 'default',
})

/** Publishes the contacts of an import that ended, a batch of rows at a time. */
export const PublishImport = job(
  'import.publish',
  Type.Object({ importId: Type.String(), after: Type.Integer() }),
  { queue: 'default' },
)

/** Undoes an import, a batch of rows at a time. */
export const UndoImport = job(
  'import.undo',
  Type.Object({
    importId: Type.String(),
    before: Type.Integer(),
    updated: Type.Integer(),
    deleted: Type.Integer(),
    asker: Type.Object({ userId: textOrNull, apiKeyId: textOrNull }),
  }),
  { queue: 'default' },
)

/** Erases a contact from the reports of imports, a batch of rows at a time. */
export const EraseContactInReports = job(
  'import.erase-in-reports',
  Type.Object({
    contactId: Type.String(),
    importId: Type.String(),
    row: Type.Integer(),
    requestId: Type.Optional(Type.String()),
  }),
  { queue: 'default' },
)

/** Begins to erase a contact from the reports of imports after the contact was erased. */
export const EraseContactInImports = job('import.erase-contact', ContactDeleted.payload, {
  queue: 'default',
})

/** Deletes rows and reports whose retention time is over. */
export const ExpireImports = job('import.expire', Type.Object({}), { queue: 'default' })
