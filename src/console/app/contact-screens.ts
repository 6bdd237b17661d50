import { lateScreen } from '../parts/late'
import { styled } from '../parts/styled'
import areaStyle from '../styles/late/area.css'
import contactStyle from '../styles/late/contact.css'
import filterStyle from '../styles/late/filter.css'
import importStyle from '../styles/late/import.css'
import pagesStyle from '../styles/late/pages.css'
import panelStyle from '../styles/late/panel.css'
import settingsStyle from '../styles/late/settings.css'
import tablesStyle from '../styles/late/tables.css'
import tasksStyle from '../styles/late/tasks.css'
import threadStyle from '../styles/late/thread.css'

// The screens about people, whose code and styles are loaded when they are opened.

export const Contacts = lateScreen(
  styled(
    () => import('../pages/contacts/contacts'),
    ...[pagesStyle, areaStyle, tablesStyle, filterStyle],
  ),
  'Contacts',
)

export const Scheduled = lateScreen(
  styled(() => import('../pages/scheduled/scheduled'), pagesStyle, areaStyle, tablesStyle),
  'Scheduled',
)

export const Calls = lateScreen(
  styled(() => import('../pages/calls/calls'), pagesStyle, areaStyle, tablesStyle),
  'Calls',
)

export const Orders = lateScreen(
  styled(
    () => import('../pages/orders/orders'),
    ...[pagesStyle, areaStyle, tablesStyle, threadStyle],
  ),
  'Orders',
)

export const Duplicates = lateScreen(
  styled(() => import('../pages/duplicates/duplicates'), pagesStyle, areaStyle, tablesStyle),
  'Duplicates',
)

export const SegmentPage = lateScreen(
  styled(() => import('../pages/contacts/segment'), pagesStyle, settingsStyle, filterStyle),
  'SegmentPage',
)

export const Contact = lateScreen(
  styled(
    () => import('../pages/contact/contact'),
    pagesStyle,
    panelStyle,
    threadStyle,
    contactStyle,
  ),
  'Contact',
)

export const Import = lateScreen(
  styled(
    () => import('../pages/import/import'),
    ...[pagesStyle, settingsStyle, tasksStyle, importStyle],
  ),
  'Import',
)

export const ImportRun = lateScreen(
  styled(
    () => import('../pages/import/run'),
    ...[pagesStyle, settingsStyle, tasksStyle, importStyle],
  ),
  'ImportRun',
)
