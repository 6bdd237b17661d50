import { Elysia } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam } from '../../../http/pagination'
import { OrganizationView } from '../../organization/organizations/model'
import { deleteOrganization, restoreOrganization } from './delete'
import { Deleted, Deletion } from './model'

/** Deletion of organizations. */
export const deletionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/organizations', tags: ['Organizations'] })
    .use(guard(http))
    .delete(
      '/:id',
      ({ ctx, params, body }) => {
        const organization = deleteOrganization(ctx, params.id, body)
        const message =
          organization === null
            ? 'The organization is being erased.'
            : 'The organization will be erased in 30 days.'
        return ok({ message, organization })
      },
      {
        can: { permission: 'organizations:delete', people: 'only' },
        refuses: [
          '403 fresh_login_required',
          '409 last_organization',
          '409 legal_hold',
          '409 organization_deleting',
          '409 other_admins',
          '409 moved',
        ],
        params: IdParam,
        body: Deletion,
        response: { 200: Ok(Deleted) },
        detail: {
          operationId: 'deleteOrganization',
          summary: 'Delete an organization',
          description:
            'Disconnects the phone numbers of the organization at once and erases all of its ' +
            'data after 30 days, or immediately with `erase_now`. Until then it can be restored, ' +
            'and its members can sign in but do nothing else. Backups still contain the ' +
            'organization until they are deleted. People who belong to no other organization ' +
            'are erased too. Only the last admin of the organization or a super admin can ' +
            'delete it. Of one that has moved to another server, a super admin erases the copy with ' +
            '`erase_now`. Requires a sign-in within the last five minutes.',
        },
      },
    )
    .post('/:id/restore', ({ ctx, params }) => ok(restoreOrganization(ctx, params.id)), {
      can: { permission: 'organizations:delete', people: 'only' },
      refuses: ['403 fresh_login_required', '409 not_deleting'],
      params: IdParam,
      response: { 200: Ok(OrganizationView) },
      detail: {
        operationId: 'restoreOrganization',
        summary: 'Restore an organization',
        description:
          'Restores an organization that is being deleted. Its phone numbers were disconnected: ' +
          'connect them again. Requires a sign-in within the last five minutes.',
      },
    })
