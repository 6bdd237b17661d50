import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { SettingsChanged, SettingsChanges, SettingsView } from '../model'
import { getSettings, updateSettings } from './service'

/** Routes for name and settings of the current organization (spec 4.4). */
export const settingsRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/organizations/settings', tags: ['Organizations'] })
    .use(guard(http))
    .get('', ({ ctx }) => ok(getSettings(ctx)), {
      can: 'settings:read',
      response: { 200: Ok(SettingsView) },
      detail: {
        operationId: 'getOrganizationSettings',
        summary: 'Get the organization settings',
        description: 'All of them, with the defaults of those that were never set.',
      },
    })
    .put(
      '',
      ({ ctx, body }) => ok({ message: 'The settings are saved.', ...updateSettings(ctx, body) }),
      {
        unlessChanged: getSettings,
        can: 'settings:update',
        refuses: ['400 team_inactive'],
        body: SettingsChanges,
        response: { 200: Ok(SettingsChanged) },
        detail: {
          operationId: 'updateOrganizationSettings',
          summary: 'Update the organization settings',
          description: 'Only the fields you send change. All fields are at the top level.',
        },
      },
    )
