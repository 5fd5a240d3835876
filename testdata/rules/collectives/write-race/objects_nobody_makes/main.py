from savers import SaverOfMain


def main(url):
    SaverOfMain().load(url)


if __name__ == "__main__":
    main("url")
