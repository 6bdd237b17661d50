import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { idParam, pageQuery } from '../../../http/pagination'
import { MemberList, MemberRole, NewMember } from '../memberships/model'
import { listMembers } from '../memberships/queries'
import { changeMemberRole } from './update'
import { removeMember } from './remove'
import { addMember } from './add'

const MemberQuery = t.Object({
  ...pageQuery(50),
  search: t.Optional(t.String({ maxLength: 255, description: 'Part of the name or email.' })),
  role_id: t.Optional(t.String({ format: 'uuid' })),
  is_active: t.Optional(t.BooleanString()),
})

/** ID of the membership or of the user. */
const MemberIdParam = idParam('member_id')

/** Routes for the members of the organization (spec 4.3). */
export const memberRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/organizations/members', tags: ['Organizations'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 50, search, role_id, is_active } }) =>
        ok(listMembers(ctx, { page, limit, search, roleId: role_id, isActive: is_active })),
      {
        can: 'organizations:read',
        query: MemberQuery,
        response: { 200: Ok(MemberList) },
        detail: {
          operationId: 'listMembers',
          summary: 'List members',
          description: 'The people of the organization, with their roles. Most recent first.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(addMember(ctx, body))), {
      can: 'organizations:assign',
      refuses: ['400 unknown_role', '403 escalation', '409 already_member'],
      body: NewMember,
      response: { 201: Ok(MessageAnswer) },
      detail: {
        operationId: 'createMember',
        summary: 'Add a member',
        description:
          'Adds an existing account, named by exactly one of `user_id` and `email`. The user is ' +
          'notified and can leave at any time.',
      },
    })
    .put(
      '/:member_id',
      ({ ctx, params, body }) => ok(changeMemberRole(ctx, params.member_id, body.role_id)),
      {
        can: 'organizations:assign',
        refuses: ['400 own_record', '400 unknown_role', '403 escalation', '409 last_admin'],
        params: MemberIdParam,
        body: MemberRole,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'updateMember',
          summary: "Change a member's role",
          description: 'Accepts the ID of the membership or of the user.',
        },
      },
    )
    .delete(
      '/:member_id',
      ({ ctx, params }) => ok({ message: removeMember(ctx, params.member_id).message }),
      {
        can: 'organizations:assign',
        refuses: ['400 own_record', '403 escalation', '409 last_admin'],
        params: MemberIdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteMember',
          summary: 'Remove a member',
          description:
            'Accepts the ID of the membership or of the user. The account remains; see `DELETE ' +
            '/api/users/{id}` for the effects.',
        },
      },
    )
