from constraintsuite.text.dates.record import Date


def add_events(text: str, dates: list[Date]) -> list[Date]:
    return dates
