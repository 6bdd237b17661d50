import { Link } from '@tanstack/react-router'

import type { Template } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Section } from '../../parts/page'
import { examplesOf, messageOf } from '../../parts/phone/message'
import { PhonePreview } from '../../parts/phone/preview'
import { formatLanguage } from '../../texts/format'
import { t } from '../../texts/texts'
import { State } from './columns'

/** The same template in its other languages, side by side. */
export function Versions({ template }: { template: Template }) {
  const mayCreate = useCan('templates:create', 'accounts:read')
  const { data } = useApi('GET /api/templates', {
    query: { name: template.name, account_id: template.account_id, limit: 100 },
  })
  const others = (data?.items ?? []).filter(({ id }) => id !== template.id)
  if (others.length === 0 && !mayCreate) return null
  return (
    <Section
      title={t('templates.languages')}
      hint={t('templates.languages-hint')}
      actions={
        mayCreate && (
          <Link
            className="button plain"
            to="/templates/$templateId"
            params={{ templateId: 'new' }}
            search={{ like: template.id }}
          >
            {t('templates.add-language')}
          </Link>
        )
      }
    >
      <ul className="template-versions">
        {others.map((one) => (
          <li key={one.id}>
            <p>
              <Link to="/templates/$templateId" params={{ templateId: one.id }} search={{}}>
                {formatLanguage(one.language)}
              </Link>{' '}
              <State template={{ ...one, reason: null, recommendation: null }} />
            </p>
            <PhonePreview
              label={formatLanguage(one.language)}
              message={messageOf(one, { ...examplesOf(one), mediaId: one.header_media_id })}
            />
          </li>
        ))}
      </ul>
    </Section>
  )
}
