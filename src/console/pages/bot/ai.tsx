import { Guarded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { t } from '../../texts/texts'

/** The screen at `/bot/ai`. */
export const Ai = () => (
  <Page title={t('shell.bot.ai')}>
    <Guarded needs="chatbot:read">{null}</Guarded>
  </Page>
)
