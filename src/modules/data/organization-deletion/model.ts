import { Type, type Static } from '@sinclair/typebox'

import { OrganizationView } from '../../organization/organizations/model'

/** Body of the deletion of an organization. */
export const Deletion = Type.Object(
  {
    confirm: Type.String({ maxLength: 100, description: 'The slug of the organization.' }),
    erase_now: Type.Optional(
      Type.Boolean({
        description:
          'Whether to erase the organization at once instead of after 30 days. It cannot be ' +
          'restored then.',
      }),
    ),
  },
  { title: 'OrganizationDeletion', examples: [{ confirm: 'acme-corp-k3v9x2ab' }] },
)
export type Deletion = Static<typeof Deletion>

/** Response of the deletion of an organization. */
export const Deleted = Type.Object(
  {
    message: Type.String(),
    organization: Type.Union([OrganizationView, Type.Null()], {
      description: '`null` if it is erased at once.',
    }),
  },
  { title: 'OrganizationDeleted' },
)
