import { hasOwnAppSecret, openSecrets } from '../container'
import { openDataDir } from '../infra/storage-dir'
import { WEBHOOK_FIELDS } from '../modules/accounts/webhook-fields'
import { say, type Command } from './command'

/** Says what the platform's app has to be told; never the app secret. */
export const webhook: Command = {
  name: 'webhook',
  forms: [['webhook', 'callback address, verify token, fields to subscribe to and state of the app secret']],
  flags: {},
  words: 0,
  run({ isJson, config }) {
    const settings = config()
    const dir = openDataDir(settings.dataDir)
    const secrets = openSecrets(settings, dir)
    const facts = {
      callback_url: `${settings.baseUrl}/api/webhook`,
      verify_token: secrets.webhookVerifyToken,
      fields: WEBHOOK_FIELDS,
      app_secret: hasOwnAppSecret(settings, dir) ? 'made here (set APP_SECRET to the one of your platform app)' : 'set',
    }
    say(
      isJson
        ? JSON.stringify(facts)
        : `Callback URL  ${facts.callback_url}\nVerify token  ${facts.verify_token}\nFields        ${facts.fields.join(', ')}\nApp secret    ${facts.app_secret}`,
    )
  },
}
