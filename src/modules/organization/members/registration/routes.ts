import { Elysia, t } from 'elysia'

import { oneOf } from '../../../../lib/fields'
import { Ok, ok, MessageAnswer } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../../http/pagination'
import { setSignInCookies } from '../../../../http/sign-in-cookies'
import { originOf } from '../../../../http/request-facts'
import type { AuthParts } from '../../auth/issue-tokens'
import { listInvitations } from '../invitations/queries'
import {
  INVITATION_STATES,
  InvitationLink,
  InvitationPreview,
  InvitationToken,
  InvitationView,
  NewInvitation,
} from '../invitations/model'
import { createInvitation } from '../invitations/create'
import { previewInvitation } from '../invitations/accept'
import { revokeInvitation } from '../invitations/revoke'
import { register } from './register'
import { Registration, RegistrationView } from './model'

const InvitationQuery = t.Object({
  ...pageQuery(),
  status: t.Optional(oneOf(INVITATION_STATES)),
  search: t.Optional(t.String({ maxLength: 255, description: 'Part of the email.' })),
})

/** Routes to join an organization from outside (spec 4.1). */
export const registrationRoutes = (http: Http, parts: AuthParts) =>
  new Elysia({ prefix: '/api/auth', tags: ['Authentication'] })
    .use(guard(http))
    .post(
      '/register',
      async ({ deps, body, request, set, status }) => {
        const { use_cookie: usesCookie, ...registration } = body
        return status(
          201,
          ok(
            setSignInCookies(
              http,
              set,
              await register(deps, parts, { ...registration, ...originOf(request) }),
              usesCookie,
            ),
          ),
        )
      },
      {
        anyone: 'joins an organization without being signed in',
        refuses: [
          '400 invitation_invalid',
          '400 password_too_common',
          '401 account_disabled',
          '401 two_factor_required',
          '401 two_factor_invalid',
          '403 invitation_required',
          '403 registration_closed',
          '403 invitation_email_mismatch',
          '403 membership_suspended',
          '404 not_found',
          '409 email_taken',
          '409 already_member',
          '409 moved',
          '409 moved',
          '503 organization_moving',
          '429 too_many_failures',
          '503 unavailable',
        ],
        body: Registration,
        response: { 201: Ok(RegistrationView) },
        detail: {
          operationId: 'register',
          summary: 'Join an organization',
          description:
            'Creates an account, or signs in to the existing one with that email, and joins the ' +
            "organization. An invitation token is required if the organization's " +
            '`registration_policy` says so, and for 30 days to a person whom the organization removed. ' +
            'The invitation determines the role. Without one, the default role is used, and until an ' +
            'admin confirms the person (`is_confirmed`) it gives no access to customers; ' +
            'the admins are notified. An unknown organization counts as a failed attempt.',
        },
      },
    )
    .post(
      '/invitations/preview',
      async ({ body, request }) =>
        ok(await previewInvitation(http, body.token, originOf(request).ipAddress)),
      {
        anyone: 'authenticates with the token from the link',
        refuses: ['400 invitation_invalid', '429 too_many_failures'],
        body: InvitationToken,
        response: { 200: Ok(InvitationPreview) },
        detail: {
          operationId: 'previewInvitation',
          summary: 'Preview an invitation',
          description: 'Returns the organization and role before the invitation is accepted.',
        },
      },
    )

export const invitationRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/organizations/invitations', tags: ['Organizations'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, status, search } }) =>
        ok(listInvitations(ctx, { page, limit, status, search })),
      {
        can: 'organizations:assign',
        query: InvitationQuery,
        response: { 200: Ok(PageOf(InvitationView)) },
        detail: {
          operationId: 'listInvitations',
          summary: 'List invitations',
          description: 'Lists invitations with the delivery state of their emails, newest first.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createInvitation(ctx, body))), {
      can: 'organizations:assign',
      refuses: [
        '400 unknown_role',
        '403 escalation',
        '409 already_member',
        '409 registration_closed',
      ],
      body: NewInvitation,
      response: { 201: Ok(InvitationLink) },
      detail: {
        operationId: 'createInvitation',
        summary: 'Create an invitation',
        description:
          'Returns the token and link, which are shown only once, and emails the link if a mail ' +
          'server is set up. Replaces a pending invitation for the same email. Without a body, ' +
          'creates a link that anyone can use, with the default role.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        revokeInvitation(ctx, params.id)
        return ok({ message: 'The invitation is revoked.' })
      },
      {
        can: 'organizations:assign',
        refuses: ['403 escalation', '409 not_pending'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteInvitation',
          summary: 'Revoke an invitation',
          description: 'Its link no longer works.',
        },
      },
    )
