import { Link } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

import { useCan } from '../../../live/me'
import { FoundSelect, useFound } from '../../../parts/found-select'
import { t } from '../../../texts/texts'

/** A team; who has none yet finds where one is made. */
export function TeamSelect(props: Omit<ComponentProps<typeof FoundSelect>, 'kind'>) {
  const mayCreate = useCan('teams:create')
  const { isAny, isAnswered } = useFound('team')
  return (
    <>
      <FoundSelect {...props} kind="team" />
      {mayCreate && !isAny && isAnswered('') && (
        <p className="muted small">
          {t('flow.no-teams')} <Link to="/settings/teams">{t('flow.make-team')}</Link>
        </p>
      )}
    </>
  )
}
