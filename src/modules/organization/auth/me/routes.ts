import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../../http/pagination'
import type { AuthParts } from '../issue-tokens'
import { changePassword, updateMe } from './update'
import {
  BackupCodes,
  CodeProof,
  FullProof,
  MeChanges,
  MeView,
  OwnSettings,
  OwnSettingsChanges,
  OwnSettingsSaved,
  PasswordChange,
  PasswordProof,
  SessionView,
  TotpSetup,
} from './model'
import { callerOf, getMe } from './queries'
import { endOwnSession, listSessions } from './sessions'
import { ownSettingsView, updateOwnSettings } from './settings'
import {
  disableSecondFactor,
  enableSecondFactor,
  renewBackupCodes,
  setUpSecondFactor,
} from './two-factor'

/** Routes for the caller's own user. */
export const meRoutes = (http: Http, parts: AuthParts) =>
  new Elysia({ prefix: '/api/me', tags: ['Me'] })
    .use(guard(http))
    .get('', ({ ctx }) => ok(getMe(ctx)), {
      can: 'signed-in',
      response: { 200: Ok(MeView) },
      detail: {
        operationId: 'getMe',
        summary: 'Get the current user',
        description:
          'Returns the signed-in user with the current organization, role and permissions. With ' +
          "an API key, returns the key's owner.",
      },
    })
    .put(
      '',
      async ({ ctx, body }) => {
        await updateMe(ctx, parts, callerOf(ctx), body)
        return ok(getMe(ctx))
      },
      {
        can: 'session',
        refuses: [
          '400 wrong_password',
          '409 email_taken',
          '429 too_many_failures',
          '503 unavailable',
        ],
        body: MeChanges,
        response: { 200: Ok(MeView) },
        detail: {
          operationId: 'updateMe',
          summary: 'Update the current user',
          description: 'Changing `email` requires `current_password` (400 `wrong_password`).',
        },
      },
    )
    .put(
      '/password',
      async ({ ctx, body }) => {
        await changePassword(ctx, parts, callerOf(ctx), body)
        return ok({ message: 'The password is changed. All other sessions have ended.' })
      },
      {
        can: 'session',
        refuses: [
          '400 wrong_password',
          '400 same_password',
          '400 password_too_common',
          '429 too_many_failures',
          '503 unavailable',
        ],
        body: PasswordChange,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'updateMyPassword',
          summary: 'Change my password',
          description: 'Ends all other sessions.',
        },
      },
    )
    .get('/settings', ({ ctx }) => ok({ settings: ownSettingsView(callerOf(ctx)) }), {
      can: 'session',
      response: { 200: Ok(t.Object({ settings: OwnSettings })) },
      detail: { operationId: 'getMySettings', summary: 'Get my settings' },
    })
    .put(
      '/settings',
      ({ ctx, body }) =>
        ok({
          message: 'The settings are saved.',
          settings: updateOwnSettings(ctx, callerOf(ctx), body),
        }),
      {
        can: 'session',
        body: OwnSettingsChanges,
        response: { 200: Ok(OwnSettingsSaved) },
        detail: {
          operationId: 'updateMySettings',
          summary: 'Update my settings',
          description: 'Only the fields you send change.',
        },
      },
    )

/** Routes for the caller's sessions and two-factor authentication. */
export const ownAccessRoutes = (http: Http, parts: AuthParts) =>
  new Elysia({ prefix: '/api/me', tags: ['Me'] })
    .use(guard(http))
    .get(
      '/sessions',
      ({ ctx, query: { page = 1, limit = 20 } }) => ok(listSessions(ctx, { page, limit })),
      {
        can: 'session',
        query: t.Object(pageQuery()),
        response: { 200: Ok(PageOf(SessionView)) },
        detail: {
          operationId: 'listMySessions',
          summary: 'List my sessions',
          description: 'Lists active sessions, last used first.',
        },
      },
    )
    .delete(
      '/sessions/:id',
      ({ ctx, params }) => {
        endOwnSession(ctx, params.id)
        return ok({ message: 'The session has ended.' })
      },
      {
        can: 'session',
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteMySession',
          summary: 'End one of my sessions',
          description:
            'Its tokens stop working with the next request, and its WebSocket connections are ' +
            'closed.',
        },
      },
    )
    .post(
      '/2fa/setup',
      async ({ ctx, body }) =>
        ok(await setUpSecondFactor(ctx, parts, callerOf(ctx), body.current_password)),
      {
        can: 'session',
        refuses: [
          '400 wrong_password',
          '409 two_factor_enabled',
          '429 too_many_failures',
          '503 unavailable',
        ],
        body: PasswordProof,
        response: { 200: Ok(TotpSetup) },
        detail: {
          operationId: 'setUpTwoFactor',
          summary: 'Set up two-factor authentication',
          description:
            'Returns a secret for an authenticator app. Two-factor authentication is not enabled ' +
            'until you confirm a code.',
        },
      },
    )
    .post(
      '/2fa/enable',
      async ({ ctx, body }) =>
        ok({ backup_codes: await enableSecondFactor(ctx, callerOf(ctx), body.code) }),
      {
        can: 'session',
        refuses: [
          '400 two_factor_invalid',
          '409 no_setup_pending',
          '409 two_factor_enabled',
          '429 too_many_failures',
        ],
        body: CodeProof,
        response: { 200: Ok(BackupCodes) },
        detail: {
          operationId: 'enableTwoFactor',
          summary: 'Enable two-factor authentication',
          description: 'Confirms a code and returns ten backup codes. They are shown only once.',
        },
      },
    )
    .post(
      '/2fa/backup-codes',
      async ({ ctx, body }) =>
        ok({ backup_codes: await renewBackupCodes(ctx, parts, callerOf(ctx), body) }),
      {
        can: 'session',
        refuses: [
          '400 wrong_password',
          '400 two_factor_invalid',
          '409 two_factor_not_enabled',
          '429 too_many_failures',
          '503 unavailable',
        ],
        body: FullProof,
        response: { 200: Ok(BackupCodes) },
        detail: {
          operationId: 'createBackupCodes',
          summary: 'Create new backup codes',
          description: 'Replaces all previous backup codes.',
        },
      },
    )
    .post(
      '/2fa/disable',
      async ({ ctx, body }) => {
        await disableSecondFactor(ctx, parts, callerOf(ctx), body)
        return ok({ message: 'Two-factor authentication is disabled.' })
      },
      {
        can: 'session',
        refuses: [
          '400 wrong_password',
          '400 two_factor_invalid',
          '409 two_factor_not_enabled',
          '429 too_many_failures',
          '503 unavailable',
        ],
        body: FullProof,
        response: { 200: Ok(MessageAnswer) },
        detail: { operationId: 'disableTwoFactor', summary: 'Disable two-factor authentication' },
      },
    )
