import { Guarded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { t } from '../../texts/texts'

/** The screen at `/bot`. */
export const Overview = () => (
  <Page title={t('shell.bot.overview')}>
    <Guarded needs="chatbot:read">{null}</Guarded>
  </Page>
)
