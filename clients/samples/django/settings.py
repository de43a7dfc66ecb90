import os

SECRET_KEY = os.environ["SESSION_SECRET"]
SIXDIGIT_URL = os.environ["SIXDIGIT_URL"]
SIXDIGIT_API_KEY = os.environ["SIXDIGIT_API_KEY"]
DEBUG = os.environ.get("DEBUG") == "1"
ALLOWED_HOSTS = os.environ.get("ALLOWED_HOSTS", "localhost").split(",")

INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions"]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "urls"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": ["templates"]}]
DATABASES = {
    "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ.get("DATABASE", "db.sqlite3")}
}
USE_TZ = True
LOGIN_URL = "/sign-in"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not DEBUG
