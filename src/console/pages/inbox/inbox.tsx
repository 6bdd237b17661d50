import { Empty } from '../../parts/state'
import { t } from '../../texts/texts'

/** The inbox. */
export function Inbox() {
  return (
    <main id="content" className="inbox">
      <h1>{t('inbox.title')}</h1>
      <Empty title={t('inbox.title')} />
    </main>
  )
}
