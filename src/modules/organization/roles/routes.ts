import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { createRole, deleteRole, updateRole } from './create'
import { NewRole, PermissionView, RoleChanges, RoleSummary, RoleView } from './model'
import { getRole, listPermissions, listRoles } from './queries'

const RolesQuery = t.Object({
  ...pageQuery(),
  search: t.Optional(t.String({ maxLength: 255, description: 'Part of the name or description.' })),
})

/** Routes for the permission catalog. */
export const permissionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/permissions', tags: ['Roles'] })
    .use(guard(http))
    .get('', () => ok({ permissions: listPermissions() }), {
      can: 'roles:read',
      response: { 200: Ok(Type.Object({ permissions: Type.Array(PermissionView) })) },
      detail: {
        operationId: 'listPermissions',
        summary: 'List all permissions',
        description: 'Every permission that a role or an API key can have, with what it allows.',
      },
    })

export const roleRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/roles', tags: ['Roles'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, search } }) =>
        ok(listRoles(ctx, { page, limit, search })),
      {
        can: 'roles:read',
        query: RolesQuery,
        response: { 200: Ok(PageOf(RoleSummary)) },
        detail: {
          operationId: 'listRoles',
          summary: 'List roles',
          description: 'Lists system roles first, then by name.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createRole(ctx, body))), {
      can: 'roles:create',
      refuses: ['400 default_role_too_powerful', '403 escalation', '409 name_taken'],
      body: NewRole,
      response: { 201: Ok(RoleView) },
      detail: {
        operationId: 'createRole',
        summary: 'Create a role',
        description: 'You can only grant permissions that you have (403 `escalation`).',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getRole(ctx, params.id)), {
      can: 'roles:read',
      params: IdParam,
      response: { 200: Ok(RoleView) },
      detail: {
        operationId: 'getRole',
        summary: 'Get a role',
        description: 'With its permissions.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateRole(ctx, params.id, body)), {
      unlessChanged: getRole,
      can: 'roles:update',
      refuses: [
        '400 default_role_too_powerful',
        '403 escalation',
        '409 name_taken',
        '409 system_role',
        '409 default_role_required',
      ],
      params: IdParam,
      body: RoleChanges,
      response: { 200: Ok(RoleView) },
      detail: {
        operationId: 'updateRole',
        summary: 'Update a role',
        description:
          "Takes effect with the members' next request. In system roles only `is_default` can be " +
          'changed. The default role can only have `read` on `users`, `roles`, `api_keys` and ' +
          '`settings`, and neither `organizations:assign` nor `organizations:create`.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteRole(ctx, params.id)
        return ok({ message: 'The role is deleted.' })
      },
      {
        can: 'roles:delete',
        refuses: [
          '403 escalation',
          '409 system_role',
          '409 role_in_use',
          '409 default_role_required',
        ],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteRole',
          summary: 'Delete a role',
          description:
            'Only roles without members can be deleted. Otherwise fails with 409 `role_in_use`, ' +
            'with the number of members in the message.',
        },
      },
    )
