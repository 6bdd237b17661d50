import { useNavigate } from '@tanstack/react-router'

import { call } from '../../api/client'
import type { Setup } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { keepUi } from '../../live/ui'
import { Button } from '../../parts/button'
import { GuideLink } from '../../parts/guide-link'
import { Icon } from '../../parts/icons'
import { Guarded, Loaded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'

/** The first steps of an organization. Each leads to the screen where it is done. */
export function Welcome() {
  const navigate = useNavigate()
  const isOwner = useCan('settings:update')
  const isHelper = useCan('accounts:update')
  const setup = useApi('GET /api/setup', {}, isOwner || isHelper)
  const leave = (): void => {
    // others hide it for themselves only
    const hidden = isOwner
      ? call('PUT /api/setup', { body: { dismissed: true } })
      : keepUi('welcome', { hidden: true })
    hidden.then(() => navigate({ to: '/inbox', search: {} })).catch(report)
  }
  return (
    <Page
      title={t('welcome.title')}
      hint={t('welcome.hint')}
      actions={(isOwner || isHelper) && <Button onPress={leave}>{t('welcome.leave')}</Button>}
    >
      <Guarded needs="settings:update" or="accounts:update">
        <Loaded result={setup} rows={6}>
          {({ steps }) => (
            <ol className="item-list steps" aria-label={t('welcome.title')}>
              {steps.map((step) => (
                <Step key={step.key} step={step} />
              ))}
            </ol>
          )}
        </Loaded>
      </Guarded>
    </Page>
  )
}

/** Guides to steps that are done on a screen. */
const GUIDES: Partial<Record<Setup['steps'][number]['key'], string>> = {
  number_connected: '/docs/meta',
  webhook_seen: '/docs/meta',
}

function Step({ step }: { step: Setup['steps'][number] }) {
  const navigate = useNavigate()
  const isPage = !step.link.startsWith('/docs/')
  const guide = isPage ? GUIDES[step.key] : step.link
  return (
    <li className={step.done ? 'item done' : 'item'}>
      <span
        className="step-mark"
        role="img"
        aria-label={t(step.done ? 'welcome.done' : 'welcome.open')}
      >
        {step.done && <Icon name="check" size={16} />}
      </span>
      <div className="grow">
        <p className="item-name">{t(`welcome.step.${step.key}`)}</p>
        {!step.done && <p className="muted small">{t(`welcome.why.${step.key}`)}</p>}
      </div>
      {!step.done && (
        <div className="actions">
          {guide !== undefined && <GuideLink href={guide} isButton />}
          {isPage && (
            <Button
              onPress={() => {
                navigate({ to: step.link }).catch(report)
              }}
            >
              {t('welcome.go')}
            </Button>
          )}
        </div>
      )}
    </li>
  )
}
