import { Guarded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { t } from '../../texts/texts'

/** The screen at `/bot/sessions`. */
export const Sessions = () => (
  <Page title={t('shell.bot.sessions')}>
    <Guarded needs="chatbot:read">{null}</Guarded>
  </Page>
)
