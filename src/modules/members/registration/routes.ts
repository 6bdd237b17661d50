import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { oneOf } from '../../../lib/fields'
import { setRefreshCookie } from '../../../http/refresh-cookie'
import { originOf } from '../../../http/request-facts'
import type { AuthParts } from '../../auth/issue-tokens'
import { listInvitations } from '../invitations/queries'
import { createInvitation, previewInvitation, revokeInvitation } from '../invitations/service'
import {
  INVITATION_STATES,
  InvitationLink,
  InvitationPreview,
  InvitationToken,
  InvitationView,
  NewInvitation,
  Registration,
  RegistrationView,
} from '../model'
import { register } from './register'

const InvitationQuery = t.Object({
  ...pageQuery(),
  status: t.Optional(oneOf(INVITATION_STATES)),
  search: t.Optional(t.String({ maxLength: 255, description: 'Part of the e-mail.' })),
})

/** Joining an organization from outside (spec 4.1). */
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
            setRefreshCookie(
              http,
              set,
              await register(deps, parts, { ...registration, ...originOf(request) }),
              usesCookie,
            ),
          ),
        )
      },
      {
        anyone: 'joins from outside',
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
          '429 too_many_failures',
          '503 unavailable',
        ],
        body: Registration,
        response: { 201: Ok(RegistrationView) },
        detail: {
          operationId: 'register',
          summary: 'Join an organization',
          description:
            'With a new account, or with the password of the account that has the e-mail already. The organization decides whether an invitation is needed; an invitation gives its role, otherwise it is the default role.',
        },
      },
    )
    .post(
      '/invitations/preview',
      async ({ body, request }) =>
        ok(await previewInvitation(http, body.token, originOf(request).ipAddress)),
      {
        anyone: 'proves itself with the token of the link',
        refuses: ['400 invitation_invalid', '429 too_many_failures'],
        body: InvitationToken,
        response: { 200: Ok(InvitationPreview) },
        detail: {
          operationId: 'previewInvitation',
          summary: 'Look at an invitation',
          description: 'Shows what the link offers before it is accepted.',
        },
      },
    )

/** Inviting people. */
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
          description: 'Newest first, each with what became of its mail.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createInvitation(ctx, body ?? {}))), {
      can: 'organizations:assign',
      refuses: [
        '400 unknown_role',
        '403 escalation',
        '409 already_member',
        '409 registration_closed',
      ],
      body: t.Union([NewInvitation, t.Null()]),
      response: { 201: Ok(InvitationLink) },
      detail: {
        operationId: 'createInvitation',
        summary: 'Invite somebody',
        description:
          'Without a body: a link for anybody, with the default role. Token and link are shown only here, and mailed when the installation has a mail server. A pending invitation for the same e-mail is replaced.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        revokeInvitation(ctx, params.id)
        return ok({ message: 'The invitation was taken back.' })
      },
      {
        can: 'organizations:assign',
        refuses: ['403 escalation', '409 not_pending'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: { operationId: 'deleteInvitation', summary: 'Take an invitation back' },
      },
    )
