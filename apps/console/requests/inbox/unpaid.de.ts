export const unpaid = {
  due: (count: number, written: string) =>
    count === 1
      ? '1 Auftrag wartet seit mindestens 7 Tagen auf seine Zahlung'
      : `${written} Aufträge warten seit mindestens 7 Tagen auf ihre Zahlung`,
};
