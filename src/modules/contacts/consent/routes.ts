import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { listConsents, recordConsent } from './ledger'
import { consentSettingsOf, updateConsentSettings } from './settings'
import { ConsentSettings, ConsentSettingsChanges, ConsentView, NewConsent } from './model'

/** What customers agreed to, and the words by which they take it back. */
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
          summary: 'Ledger of consent',
          description: 'Newest first; the newest entry is what counts.',
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
          summary: 'Write down a consent',
          description:
            'Entries are appended and never change. After `opted_out` the contact gets no marketing templates.',
        },
      },
    )
    .get('/consent-settings', ({ ctx }) => ok(consentSettingsOf(ctx)), {
      can: 'settings:read',
      response: { 200: Ok(ConsentSettings) },
      detail: { operationId: 'getConsentSettings', summary: 'Words for leaving and coming back' },
    })
    .put('/consent-settings', ({ ctx, body }) => ok(updateConsentSettings(ctx, body)), {
      can: 'settings:update',
      body: ConsentSettingsChanges,
      response: { 200: Ok(ConsentSettings) },
      detail: {
        operationId: 'updateConsentSettings',
        summary: 'Change these words',
        description: 'Only the fields sent change; a list is replaced.',
      },
    })
