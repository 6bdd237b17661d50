import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import type { Ctx } from '../../../infra/ctx'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { oneOf } from '../../../lib/fields'
import { AccountChanges, AccountView, NewAccount } from './model'
import { PLATFORM_ERRORS } from './platform-errors'
import { deleteAccount } from './delete'
import { createAccount } from './create'
import { listAccounts } from './list'
import { getAccount } from './queries'
import { updateAccount } from './update'
import { accountView } from './view'

const AccountQuery = t.Object({
  ...pageQuery(50),
  search: t.Optional(
    t.String({ maxLength: 255, description: 'Part of the name or phone number.' }),
  ),
  status: t.Optional(oneOf(['pending', 'active', 'disconnected', 'suspended'])),
})

/** Routes for connected phone numbers. */
export const accountRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/accounts', tags: ['Accounts'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 50, search, status } }) => {
        const found = listAccounts(ctx, { page, limit, search, status })
        return ok({ ...found, accounts: found.items })
      },
      {
        can: 'accounts:read',
        query: AccountQuery,
        response: {
          200: Ok(
            Type.Composite([
              PageOf(AccountView),
              Type.Object({ accounts: Type.Array(AccountView) }),
            ]),
          ),
        },
        detail: {
          operationId: 'listAccounts',
          summary: 'List connected phone numbers',
          description:
            'By name, with their state and their limits at WhatsApp as last seen. Tokens and secrets are never shown.',
        },
      },
    )
    .post('', async ({ ctx, body, status }) => status(201, ok(await createAccount(ctx, body))), {
      can: 'accounts:create',
      refuses: [
        '400 business_account_unproven',
        '409 name_taken',
        '409 phone_id_in_use',
        ...PLATFORM_ERRORS,
      ],
      body: NewAccount,
      response: { 201: Ok(AccountView) },
      detail: {
        operationId: 'createAccount',
        summary: 'Connect a phone number',
        description: 'Connecting a number that this organization had before restores its history.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(accountView(getAccount(ctx, params.id))), {
      can: 'accounts:read',
      params: IdParam,
      response: { 200: Ok(AccountView) },
      detail: {
        operationId: 'getAccount',
        summary: 'Get a phone number',
        description:
          'With its state and its limits at WhatsApp as last seen. Tokens and secrets are never shown.',
      },
    })
    .put('/:id', async ({ ctx, params, body }) => ok(await updateAccount(ctx, params.id, body)), {
      unlessChanged: (ctx: Ctx, id: string) => accountView(getAccount(ctx, id)),
      can: 'accounts:update',
      refuses: [
        '400 business_account_unproven',
        '409 name_taken',
        '409 phone_id_in_use',
        ...PLATFORM_ERRORS,
      ],
      params: IdParam,
      body: AccountChanges,
      response: { 200: Ok(AccountView) },
      detail: {
        operationId: 'updateAccount',
        summary: 'Update a phone number',
        description:
          'Saving a new token makes a disconnected number active again and releases its held ' +
          'messages.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteAccount(ctx, params.id)
        return ok({ message: 'The phone number is disconnected. Its history remains.' })
      },
      {
        can: 'accounts:delete',
        refuses: ['409 campaign_running'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteAccount',
          summary: 'Disconnect a phone number',
          description: 'It neither sends nor receives here any more. Its conversations stay.',
        },
      },
    )
