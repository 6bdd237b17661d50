/**
 * Since then the platform charges messages other than templates, as much as utility templates, and
 * utility templates inside the 24-hour window. This many of the former are free per number and
 * month, unless the price list states another number.
 */
export const SERVICE_CHARGED = { date: '2026-10-01', month: 202_610, freePerMonth: 1_000 }
