import type { Config } from '../config'
import { hasOwnAppSecret, openSecrets } from '../secrets'
import { hasServed } from '../infra/keys/keyring'
import type { DataDir } from '../infra/data-dir'
import { WEBHOOK_FIELDS } from '../modules/channel/accounts/webhook-fields'
import { withDatabase } from './database'
import { print, type Command } from './command'

/** Prints the values to enter in the platform's app settings. Never prints the app secret. */
export const webhook: Command = {
  name: 'webhook',
  forms: [['webhook', 'show the callback URL, verify token, webhook fields and app secret status']],
  flags: {},
  words: 0,
  async run(invocation) {
    const facts = await withDatabase(invocation, ({ settings, dir, db }) =>
      factsOf(settings, dir, hasServed(db.orm)),
    )
    print(
      invocation.isJson
        ? JSON.stringify(facts)
        : `Callback URL  ${facts.callback_url}\nVerify token  ${facts.verify_token}\nFields        ${facts.fields.join(', ')}\nApp secret    ${facts.app_secret}`,
    )
  },
}

function factsOf(settings: Config, dir: DataDir, wasUsed: boolean) {
  const secrets = openSecrets(settings, dir, { wasUsed, isServer: false })
  return {
    callback_url: `${settings.baseUrl}/api/webhook`,
    verify_token: secrets.webhookVerifyToken,
    fields: WEBHOOK_FIELDS,
    app_secret: hasOwnAppSecret(settings)
      ? 'not set (set APP_SECRET to the app secret of your platform app)'
      : 'set',
  }
}
