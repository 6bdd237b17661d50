import { Elysia, t } from 'elysia'

import { MessageAnswer, Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import type { Ctx } from '../../../infra/ctx'
import { ChatbotSettingsChanges, ChatbotSettingsView } from './model'
import { getChatbotSettings, resetChatbotSettings, updateChatbotSettings } from './update'
import { settingsView } from './view'

const accountId = t.String({ format: 'uuid', description: 'A phone number of the organization.' })
const OfAccount = t.Object({ account_id: t.Optional(accountId) })

export const chatbotSettingsRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/chatbot/settings', tags: ['Chatbot'] })
    .use(guard(http))
    .get(
      '',
      async ({ ctx, query }) => ok(await getChatbotSettings(ctx, query.account_id ?? null)),
      {
        can: 'chatbot:read',
        refuses: ['404 not_found'],
        query: OfAccount,
        response: { 200: Ok(ChatbotSettingsView) },
        detail: {
          operationId: 'getChatbotSettings',
          summary: 'Get the chatbot settings',
          description:
            'Returns the settings of the organization, or with `account_id` those that apply to one ' +
            'phone number. A new organization has the defaults.',
        },
      },
    )
    .put(
      '',
      async ({ ctx, query, body }) =>
        ok(await updateChatbotSettings(ctx, query.account_id ?? null, body)),
      {
        unlessChanged: (ctx: Ctx, id: string) => settingsView(ctx, id === '' ? null : id),
        can: 'chatbot:update',
        refuses: ['400 url_refused', '400 human_path_missing', '404 not_found'],
        query: OfAccount,
        body: ChatbotSettingsChanges,
        response: { 200: Ok(ChatbotSettingsView) },
        detail: {
          operationId: 'updateChatbotSettings',
          summary: 'Update the chatbot settings',
          description:
            'Only the fields you send change; `null` clears a field. With `account_id` the fields ' +
            'are stored for one phone number, and its other fields follow the organization. ' +
            'Enabling the bot or the AI requires a way to a person: transfer keywords, ' +
            '`fallback_transfer_after`, or a rule or flow that transfers (400 ' +
            '`human_path_missing`).',
        },
      },
    )
    .delete(
      '',
      ({ ctx, query }) => {
        resetChatbotSettings(ctx, query.account_id)
        return ok({ message: 'The phone number follows the settings of the organization.' })
      },
      {
        can: 'chatbot:update',
        refuses: ['404 not_found'],
        query: t.Object({ account_id: accountId }),
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'resetChatbotSettings',
          summary: "Reset a phone number's chatbot settings",
          description: 'Drops all settings in which the phone number differs.',
        },
      },
    )
