import { lateScreen } from '../parts/late'
import { styled } from '../parts/styled'
import areaStyle from '../styles/late/area.css'
import developersStyle from '../styles/late/developers.css'
import formsStyle from '../styles/late/forms.css'
import pagesStyle from '../styles/late/pages.css'
import settingsStyle from '../styles/late/settings.css'
import tablesStyle from '../styles/late/tables.css'

// The screens about forms, whose code and styles are loaded when they are opened.

export const Forms = lateScreen(
  styled(() => import('../pages/forms/forms'), ...[areaStyle, pagesStyle, tablesStyle]),
  'Forms',
)
export const FormPage = lateScreen(
  styled(
    () => import('../pages/forms/editor'),
    ...[areaStyle, pagesStyle, settingsStyle, developersStyle],
  ),
  'FormPage',
)
export const Responses = lateScreen(
  styled(
    () => import('../pages/forms/responses'),
    ...[areaStyle, pagesStyle, tablesStyle, formsStyle],
  ),
  'Responses',
)
export const Exchanges = lateScreen(
  styled(() => import('../pages/forms/exchanges'), areaStyle, pagesStyle),
  'Exchanges',
)
