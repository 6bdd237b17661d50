import { Guarded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { t } from '../../texts/texts'

/** The screen at `/bot/rules`. */
export const Rules = () => (
  <Page title={t('shell.bot.rules')}>
    <Guarded needs="chatbot:read">{null}</Guarded>
  </Page>
)
