import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../../http/pagination'
import { consentSettingsView, updateConsentSettings } from './settings'
import { ConsentSettingsChanges, ConsentSettingsView, ConsentView, NewConsent } from './model'
import { listConsents, recordConsent } from './record'

/** Routes for the consent history and the keywords. */
export const consentRoutes = (http: Http) =>
  new Elysia({ prefix: '/api', tags: ['Contacts'] })
    .use(guard(http))
    .get(
      '/contacts/:id/consents',
      ({ ctx, params, query: { page = 1, limit = 20 } }) =>
        ok(listConsents(ctx, params.id, { page, limit })),
      {
        can: 'contacts:read',
        params: IdParam,
        query: t.Object(pageQuery()),
        response: { 200: Ok(PageOf(ConsentView)) },
        detail: {
          operationId: 'listContactConsents',
          summary: 'List consent entries',
          description: 'Lists entries, newest first. The newest entry is in effect.',
        },
      },
    )
    .post(
      '/contacts/:id/consents',
      ({ ctx, params, body, status }) => status(201, ok(recordConsent(ctx, params.id, body))),
      {
        can: 'contacts:update',
        params: IdParam,
        body: NewConsent,
        response: { 201: Ok(ConsentView) },
        detail: {
          operationId: 'createContactConsent',
          summary: 'Record consent',
          description:
            "Appends an entry to the contact's consent history. After `opted_out`, marketing " +
            'templates are no longer sent to the contact.',
        },
      },
    )
    .get('/consent-settings', ({ ctx }) => ok(consentSettingsView(ctx)), {
      can: 'settings:read',
      response: { 200: Ok(ConsentSettingsView) },
      detail: {
        operationId: 'getConsentSettings',
        summary: 'Get the opt-out keywords',
        description:
          'The words by which customers decline marketing messages or want them again, and what they are answered.',
      },
    })
    .put('/consent-settings', ({ ctx, body }) => ok(updateConsentSettings(ctx, body)), {
      unlessChanged: consentSettingsView,
      can: 'settings:update',
      body: ConsentSettingsChanges,
      response: { 200: Ok(ConsentSettingsView) },
      detail: {
        operationId: 'updateConsentSettings',
        summary: 'Update the opt-out keywords',
        description: 'Only the fields you send change. A list is replaced as a whole.',
      },
    })
