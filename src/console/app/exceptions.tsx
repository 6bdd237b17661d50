import { Link } from '@tanstack/react-router'

import { Button } from '../parts/button'
import { Empty } from '../parts/state'
import { t } from '../texts/texts'

/** The page of an address that does not exist. */
export function Missing() {
  return (
    <main id="content" className="centered">
      <Empty isPage icon="question" title={t('shell.missing.title')} hint={t('shell.missing.hint')}>
        <Link to="/inbox" search={{}} className="button primary">
          {t('shell.missing.back')}
        </Link>
      </Empty>
    </main>
  )
}

/** Shown instead of a page whose code failed, such as a chunk that could not be loaded. */
export function Broken({ error }: { error: unknown }) {
  return (
    <main id="content" className="centered">
      <Empty
        isPage
        icon="warning"
        title={t('shell.error.title')}
        hint={error instanceof Error ? error.message : String(error)}
      >
        <Button
          look="primary"
          onPress={() => {
            location.reload()
          }}
        >
          {t('shell.error.reload')}
        </Button>
      </Empty>
    </main>
  )
}
