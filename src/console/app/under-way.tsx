import type { Work } from '../api/shapes'
import { Button } from '../parts/button'
import { Progress } from '../parts/progress'
import { t } from '../texts/texts'
import { isKnownLink, useOpenLink } from './open-link'
import { nameOfWork } from './work-words'

/** The work of the person that is under way, each with a way to its page. */
export function UnderWay({ items, onOpen }: { items: readonly Work[]; onOpen: () => void }) {
  const openLink = useOpenLink()
  return (
    <section className="under-way" aria-label={t('shell.work.heading')}>
      {items.map((work) => {
        const { id, done, total, link } = work
        return (
          <div key={id}>
            <Progress label={nameOfWork(work)} done={done} total={total} state="running" />
            {isKnownLink(link) && (
              <Button
                look="quiet"
                onPress={() => {
                  onOpen()
                  openLink(link)
                }}
              >
                {t('shell.work.show')}
              </Button>
            )}
          </div>
        )
      })}
    </section>
  )
}
