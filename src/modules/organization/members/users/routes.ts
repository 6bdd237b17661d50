import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { askedPage, IdParam, idParam, PageOf, pageQuery } from '../../../../http/pagination'
import type { AuthParts } from '../../auth/issue-tokens'
import { setAvailability } from '../availability'
import {
  Availability,
  AvailabilityView,
  NewUser,
  OwnOrganizations,
  Removed,
  UserChanges,
  UserView,
} from '../model'
import { getUser, listOwnOrganizations, listUsers } from '../queries'
import { leaveOrganization, removeUser } from '../remove'
import { acceptInvitation } from '../invitations/accept'
import { InvitationToken, Joined } from '../invitations/model'
import { createUser } from './create'
import { updateUser } from './update'

const UserQuery = t.Object({
  ...pageQuery(),
  search: t.Optional(t.String({ maxLength: 255, description: 'Part of the name or email.' })),
  role_id: t.Optional(t.String({ format: 'uuid' })),
  is_active: t.Optional(t.BooleanString()),
  is_available: t.Optional(t.BooleanString()),
})

/** Errors of creating a user. */
const CREATING_REFUSALS = [
  '400 unknown_role',
  '400 password_too_common',
  '403 escalation',
  '403 super_admin_required',
  '409 email_taken',
  '503 unavailable',
] as const

/** Errors of updating a user. */
const CHANGING_REFUSALS = [
  '400 own_record',
  '400 unknown_role',
  '400 password_too_common',
  '403 escalation',
  '403 account_managed_elsewhere',
  '403 super_admin_required',
  '409 email_taken',
  '409 last_admin',
  '409 last_super_admin',
  '503 unavailable',
] as const

/** Routes for the users of the organization. */
export const userRoutes = (http: Http, { hasher }: AuthParts) =>
  new Elysia({ prefix: '/api/users', tags: ['Users'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, search, role_id, is_active, is_available } }) =>
        ok(
          listUsers(ctx, {
            page,
            limit,
            search,
            roleId: role_id,
            isActive: is_active,
            isAvailable: is_available,
          }),
        ),
      {
        can: 'users:read',
        query: UserQuery,
        response: { 200: Ok(PageOf(UserView)) },
        detail: {
          operationId: 'listUsers',
          summary: 'List users',
          description: 'The people who can sign in to the organization, by name.',
        },
      },
    )
    .get('/:id', ({ ctx, params }) => ok(getUser(ctx, params.id)), {
      can: { permission: 'users:read', people: 'own path' },
      params: IdParam,
      response: { 200: Ok(UserView) },
      detail: {
        operationId: 'getUser',
        summary: 'Get a user',
        description: 'Users can always read their own record.',
      },
    })
    .post(
      '',
      async ({ ctx, body, status }) => status(201, ok(await createUser(ctx, hasher, body))),
      {
        can: 'users:create',
        refuses: CREATING_REFUSALS,
        body: NewUser,
        response: { 201: Ok(UserView) },
        detail: {
          operationId: 'createUser',
          summary: 'Create a user',
          description:
            'Creates an account that this organization manages. The user must set a password at ' +
            'first sign-in. If the email already has an account, add it with `POST ' +
            '/api/organizations/members`.',
        },
      },
    )
    .put(
      '/:id',
      async ({ ctx, params, body }) => ok(await updateUser(ctx, hasher, params.id, body)),
      {
        can: 'users:update',
        unlessChanged: getUser,
        refuses: CHANGING_REFUSALS,
        params: IdParam,
        body: UserChanges,
        response: { 200: Ok(UserView) },
        detail: {
          operationId: 'updateUser',
          summary: 'Update a user',
          description:
            'To change `role_id` or `is_active`, the caller needs all permissions of the user and of ' +
            'the new role. Name, email and password can only be changed where the account is managed. ' +
            'Changing email or password also requires more permissions than the user has, and ends ' +
            'all their sessions.',
        },
      },
    )
    .delete('/:id', ({ ctx, params }) => ok(removeUser(ctx, params.id)), {
      can: 'users:delete',
      refuses: ['400 own_record', '403 escalation', '409 last_admin'],
      params: IdParam,
      response: { 200: Ok(Removed) },
      detail: {
        operationId: 'deleteUser',
        summary: 'Remove a user',
        description:
          "Ends the user's membership in this organization: contacts become unassigned, tokens " +
          'are revoked and API keys stop working. The account and its other memberships remain.',
      },
    })
    .put(
      '/:id/availability',
      ({ ctx, params, body }) => ok(setAvailability(ctx, params.id, body.is_available)),
      {
        can: { permission: 'users:update', people: 'own path' },
        refuses: ['403 escalation'],
        params: IdParam,
        body: Availability,
        response: { 200: Ok(AvailabilityView) },
        detail: {
          operationId: 'updateUserAvailability',
          summary: "Update a user's availability",
          description: 'Users can always change their own availability.',
        },
      },
    )

/** Routes for the caller's own organizations. */
export const ownRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/me', tags: ['Me'] })
    .use(guard(http))
    .get(
      '/organizations',
      ({ ctx, query, request }) => ok(listOwnOrganizations(ctx, askedPage(request, query))),
      {
        can: 'session',
        query: t.Object(pageQuery()),
        response: { 200: Ok(OwnOrganizations) },
        detail: {
          operationId: 'listMyOrganizations',
          summary: 'List my organizations',
          description:
            'Lists active memberships by name. One of an organization that has moved to another server has ' +
            'its address in `moved_to`, for 30 days. Without `page` or `limit` the whole list is ' +
            'returned and `total`, `page` and `limit` are omitted.',
        },
      },
    )
    .delete(
      '/organizations/:organization_id',
      ({ ctx, params }) => {
        leaveOrganization(ctx, params.organization_id)
        return ok({ message: 'You left the organization.' })
      },
      {
        can: 'session',
        refuses: ['409 last_admin', '409 moved', '503 organization_moving'],
        params: idParam('organization_id'),
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'leaveOrganization',
          summary: 'Leave an organization',
          description: 'Fails with 409 `last_admin` for the only active admin.',
        },
      },
    )
    .put(
      '/availability',
      ({ ctx, body }) => ok(setAvailability(ctx, ctx.actor.userId ?? '', body.is_available)),
      {
        can: 'session',
        body: Availability,
        response: { 200: Ok(AvailabilityView) },
        detail: {
          operationId: 'updateMyAvailability',
          summary: 'Update my availability',
          description:
            'Sets whether the caller takes new conversations in this organization. Going away ' +
            'starts a break; coming back ends it.',
        },
      },
    )
    .post(
      '/invitations/accept',
      async ({ ctx, body, status }) => status(201, ok(await acceptInvitation(ctx, body.token))),
      {
        can: 'session',
        refuses: [
          '400 invitation_invalid',
          '403 invitation_email_mismatch',
          '403 membership_suspended',
          '409 already_member',
          '429 too_many_failures',
        ],
        body: InvitationToken,
        response: { 201: Ok(Joined) },
        detail: {
          operationId: 'acceptInvitation',
          summary: 'Accept an invitation',
          description:
            'Joins the organization that invited the caller. The current organization does not ' +
            'change until `POST /api/auth/switch-org`.',
        },
      },
    )
