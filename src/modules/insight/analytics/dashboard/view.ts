import type { Dashboard, DashboardRow } from './model'
import { DASHBOARD_FIGURES } from './rules'

/** Returns the figures of the dashboard, one per row. */
export const dashboardRows = (dashboard: Dashboard): DashboardRow[] =>
  Object.keys(DASHBOARD_FIGURES).flatMap((area) =>
    Object.entries(dashboard[area as keyof typeof DASHBOARD_FIGURES]).map(([figure, value]) => ({
      ...{ area, figure, value },
    })),
  )
