from django.urls import path

import views

urlpatterns = [
    path("", views.home),
    path("sign-in", views.sign_in),
    path("sign-in/verify", views.verify),
]
